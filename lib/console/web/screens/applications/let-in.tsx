import type { ReactNode } from 'react';
import { useWorkspace } from '../../api/session.ts';
import { Panel } from '../../design/page.tsx';
import { Secret } from '../../design/secret.tsx';
import { base } from '../../navigation/addresses.ts';

/** The address to give to an application, and what happens then. */
export function LetIn(): ReactNode {
  const { name } = useWorkspace();
  const address = `${window.location.origin}${base}/mcp`;
  return (
    <Panel title="Let an application in">
      <div className="stack">
        <p>
          Any application that speaks MCP can work for you here: Claude, Cursor, VS Code and others. You give it this
          address, and no password.
        </p>
        <Secret label="Address for the application" text={address} />
        <ol className="application-steps">
          <li>In the application, add a remote MCP server, or a custom connector, with this address.</li>
          <li>
            The application opens a page of this service. Check there which application asks, and where its answers go.
          </li>
          <li>
            Choose the workspace <bdi>{name}</bdi>, and whether it may write. Then press <strong>Allow</strong>.
          </li>
          <li>The application is in the list above from then on.</li>
        </ol>
        <Secret label="For Claude Code" text={`claude mcp add --transport http cartulary ${address}`} />
      </div>
    </Panel>
  );
}
