import { presentDetails, type RefusalDetails } from '../../domain/refusal-details.js';
import { detailRecords } from '../../records/refusal-record.js';

/** The description's `…Details`. */
export const presentForRest = (details: RefusalDetails): object => presentDetails(details, detailRecords);
