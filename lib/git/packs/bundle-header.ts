/**
 * Bundles (gitformat-bundle(5), version 2): a head and all objects that it needs, in one file for `git bundle verify`
 * and `git clone`.
 */
export const bundleSignature = '# v2 git bundle\n';
