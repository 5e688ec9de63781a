/**
 * What an agent can do about each reason for which a tool is refused. The reasons are those of the REST API wherever it
 * has them; where a refusal has none, it is the code in small letters.
 */
export const hints: Readonly<Record<string, string>> = {
  not_found:
    'It is absent, or out of your reach, or you may not do this there. Check the location with list_org_folders and list_org_docs, and your role in what they return.',
  rate_limited: 'Wait retry_after_s seconds, then go on.',
  internal: 'Try once more. If it fails again, report the request_id.',
  unavailable: 'Wait retry_after_s seconds, then try again. This says nothing about whether the document exists.',
  bad_field: 'Correct the argument named in field.',
  unknown_field: 'Leave out the argument named in field.',
  missing_field: 'Add the argument named in field.',
  bad_location:
    'Give the whole path from the workspace root, without a slash at either end: handbook/policies/leave.md',
  bad_cursor: 'Leave out cursor and start again at the first page, with the same other arguments on every page.',
  content_too_large: 'Split the text over several documents.',
  storage_quota: 'The workspace is full. Tell a person who administers it.',
  read_only_source: 'This folder mirrors another system. Change it there, or write elsewhere.',
  stale_if_match:
    'Nothing was written. If edits_still_apply is true and diff does not contradict them, send the same edits with expected_commit set to current_commit; otherwise read the document again first.',
  name_taken: 'Something is there already. Read it, and replace it with expected_commit, or choose another name.',
  claimed: 'Someone is working there. Work elsewhere until expires_at, or ask the holder with message.',
  claim_lost: 'Your claim has ended. Read the document again, then claim anew if you still need it.',
  too_many_claims: 'Release claims that you do not need any more.',
  too_many_recipients: 'Name fewer or smaller groups.',
  no_match:
    'Copy old_text exactly from a fresh read, blanks and line ends included; nearest shows lines that are like it.',
  ambiguous: 'Make old_text longer until it is unique, or set count to the number of places if all are meant.',
  no_change: 'The document says this already; nothing is left to do.',
  large_shrink: 'Check that content is the whole new text. If so much is meant to go, set allow_shrink.',
  heading_lost: 'Keep the line end before the heading named in section, and close every code block that you open.',
  heading_doubled: 'The heading line stays by itself: leave it out of new_text.',
  not_text: 'Only text can be edited or read in parts.',
  no_such_section: 'Take the id from the outline: read_org_doc with outline_only.',
  section_ambiguous: 'Use one of the ids in sections.',
  query_too_long: 'Search for fewer words.',
  query_too_complex: 'Search for fewer words, and for whole ones.',
};
