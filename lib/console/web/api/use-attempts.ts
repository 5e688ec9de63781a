import { useState } from 'react';
import { Attempts } from './attempts.ts';
import { newIdempotencyKey } from './client.ts';

/** The keys of what a person does in a screen or dialog, for as long as it is there. */
export function useAttempts(): Attempts {
  const [attempts] = useState(() => new Attempts(newIdempotencyKey));
  return attempts;
}
