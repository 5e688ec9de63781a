import { rootLocation } from '../domain/location.js';
import type { Need } from './operation.js';

/** An admin is an approver of the workspace root. */
export const adminNeeds: readonly Need[] = [{ role: 'approver', location: rootLocation }];
