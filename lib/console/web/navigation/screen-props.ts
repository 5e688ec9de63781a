/** What a screen is told of its address. */
export interface ScreenProps {
  readonly workspace: string;
  /** The location, or the rest of the path. */
  readonly rest: string;
}
