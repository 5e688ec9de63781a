import { rootLocation } from '../domain/location.js';
import { notFound } from '../domain/refusal.js';
import type { View } from '../view/view.js';
import type { ReadContext } from './operation.js';

/**
 * The view of this moment, after a wait in an operation that needs an admin.
 * @throws Refusal NOT_FOUND when the caller is an admin no longer
 */
export function viewAsAdmin({ workspace, caller }: Pick<ReadContext, 'workspace' | 'caller'>): View {
  const view = workspace.view(caller);
  if (!view.reach.holds('approver', rootLocation)) throw notFound();
  return view;
}
