import { Component, type ReactNode } from 'react';
import { Button } from '../design/button.tsx';
import { State } from '../design/state.tsx';

interface BoundaryState {
  readonly error: Error | undefined;
}

/** Keeps a fault of one view from taking the whole page with it. */
export class Boundary extends Component<{ readonly children: ReactNode }, BoundaryState> {
  override readonly state: BoundaryState = { error: undefined };

  static getDerivedStateFromError(error: Error): BoundaryState {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <State
        title="This view stopped working"
        actions={<Button onClick={() => window.location.reload()}>Load the page again</Button>}
      >
        <p>It is a fault of this page, and no document is affected. Unsaved text is kept as a draft.</p>
        <p className="mono small">{this.state.error.message}</p>
      </State>
    );
  }
}
