// What is shown in place of a part of the console that failed.
import { Component, type ReactNode } from 'react';
import { ProblemNotice } from './Notice.tsx';

interface Props {
  /** Where the part stands: what failed elsewhere does not stand in the way of the next. */
  readonly place?: string;
  readonly children: ReactNode;
}

interface State {
  readonly error: unknown;
}

/** Shows its children, or what was thrown while they were drawn: React would take the whole page away. */
export class Boundary extends Component<Props, State> {
  static getDerivedStateFromError(this: void, error: unknown): State {
    return { error };
  }

  override state: State = { error: null };

  override componentDidUpdate({ place }: Props): void {
    if (place !== this.props.place && this.state.error !== null) this.setState({ error: null });
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === null ? this.props.children : <ProblemNotice error={error} />;
  }
}
