/** The revision in which each request names its version. All before it are one era. */
export const presentRevision = '2026-07-28';

/** Opens a stream that says what changed, in the present revision. */
export const listenMethod = 'subscriptions/listen';

/** Members of `_meta` in the present revision. */
export const versionKey = 'io.modelcontextprotocol/protocolVersion';
export const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';
export const serverInfoKey = 'io.modelcontextprotocol/serverInfo';

/** A header of `cartulary mcp`, which keeps a client's subscriptions: an older client can be offered them there. */
export const carrierHeader = 'cartulary-carrier';
export const keepsSubscriptions = 'keeps-subscriptions';
