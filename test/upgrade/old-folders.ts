/** A data folder as an earlier state of this program wrote it. */
export interface OldFolder {
  /** Its data format: the numbers of the last step of a workspace's file, and of the service's own. */
  readonly format: string;
  /** The last commit that wrote this format. */
  readonly commit: string;
  /** How its program ended. A killed one leaves commits that are not in the repository yet. */
  readonly end: 'stopped' | 'killed';
}

/**
 * One folder for each data format that a program of `main` has had. The files beside this one were written by these
 * programs. `npm run folders:old` makes them.
 */
export const oldFolders: readonly OldFolder[] = [
  { format: '10.1', commit: 'd6a84f2c', end: 'stopped' },
  { format: '11.1', commit: '8f3edd58', end: 'killed' },
  { format: '11.2', commit: '7e651117', end: 'stopped' },
  { format: '11.3', commit: 'c9745f4a', end: 'killed' },
  { format: '12.3', commit: '3c07a65e', end: 'stopped' },
  { format: '13.3', commit: 'fd0e30c2', end: 'killed' },
  { format: '15.3', commit: '4ffc80ad', end: 'stopped' },
  { format: '16.3', commit: 'a0950a17', end: 'killed' },
  { format: '16.4', commit: '80381335', end: 'stopped' },
  { format: '16.5', commit: '0c166c23', end: 'killed' },
  { format: '17.5', commit: 'a82fa955', end: 'stopped' },
  { format: '18.5', commit: '4a5440b6', end: 'killed' },
  { format: '19.5', commit: '086701bd', end: 'stopped' },
  { format: '20.5', commit: '18f6daee', end: 'killed' },
  { format: '23.6', commit: '46ac0517', end: 'stopped' },
  { format: '24.6', commit: '23ac893e', end: 'killed' },
  { format: '25.8', commit: '49ecb500', end: 'stopped' },
  { format: '27.8', commit: 'a728d401', end: 'killed' },
  { format: '28.8', commit: '0362b6b3', end: 'killed' },
  { format: '29.8', commit: '49d21206', end: 'stopped' },
];

/** Steps that no program of `main` ended with: they came together with later ones. */
export const neverLast: Readonly<Record<'sidecar' | 'service', readonly number[]>> = {
  sidecar: [1, 2, 3, 4, 14, 21, 22, 26],
  service: [7],
};
