import type { ReasonMetAt } from '../domain/reason.js';

/** The remedy of each reason in a tool's answer. It is shown as `hint`, and may name tools and their fields. */
export const remedies: Readonly<Record<ReasonMetAt<'mcp'>, string>> = {
  not_found:
    'It is absent, or out of your reach, or you may not do this there. Check the location and your role with list_org_docs, list_org_folders or brief_me (reach), an id with who_can_read, claim or message.',
  rate_limited: 'Wait retry_after_s seconds, then go on.',
  internal: 'Try once more. If it fails again, report the request_id.',
  unavailable: 'Wait retry_after_s seconds, then try again. This says nothing about whether the document exists.',
  storage_full:
    'Nothing was written. Wait retry_after_s seconds, then send it again. If it lasts, tell a person who runs the service.',
  superseded: 'Tell a person who runs the service: another machine serves it now, and this address is out of use.',
  bad_field: 'Correct the argument named in field, or leave it out if it is optional.',
  unknown_field: 'Leave out the argument named in field.',
  missing_field: 'Add the argument named in field.',
  bad_location:
    'Give the whole path from the workspace root, without a slash at either end, hidden characters or any of < > : " | ? *: handbook/policies/leave.md',
  bad_cursor: 'Leave out the argument named in field and start again, with the same other arguments on every page.',
  no_claim: 'Nothing has to be released. claim with action list shows the claims there are, and yours among them.',
  no_such_version: 'Take one of versions, which are the newest, or the commit of an answer about this document.',
  content_too_large: 'Split the text over several documents.',
  storage_quota: 'The workspace is full. Tell a person who administers it.',
  query_too_long: 'Search for fewer words.',
  query_too_complex: 'Search for fewer words, and for whole ones.',
  bad_pattern:
    'Correct the expression: it has no look-around and no back-references. For a plain text use match exact.',
  too_many_claims: 'Release claims that you do not need any more.',
  too_many_recipients: 'Name fewer or smaller groups.',
  read_only_source: 'This folder mirrors another system; connector says which. Change it there, or write elsewhere.',
  not_text:
    'Only text can be edited, replaced by text, or read in parts. To put a text in its place, delete the document first.',
  no_such_section: 'Use one of the ids in sections, or take it from the outline: read_org_doc with outline_only.',
  section_ambiguous: 'Use one of the ids in sections.',
  no_match:
    'Copy old_text exactly from a fresh read, blanks and line ends included; nearest shows lines that are like it.',
  ambiguous: 'Make old_text longer until it is unique, or set count to the number of places if all are meant.',
  no_change: 'The document says this already; nothing is left to do.',
  large_shrink: 'Check that content is the whole new text. If so much is meant to go, set allow_shrink.',
  heading_lost:
    'Keep the heading named in section: its line end, and every code block closed; replace_section has to repeat the headings below. To remove a heading, name its line in old_text.',
  heading_doubled: 'The heading line stays by itself: leave it out of new_text.',
  stale_if_match:
    'It changed since expected_commit, and nothing was written. See what changed with read_org_doc and since_commit, then decide again.',
  name_taken:
    'Something is there already, perhaps in other case. Choose another name; a document you can also read, and replace with expected_commit.',
  location_occupied: 'Something else was made there since. Write the text elsewhere, or replace what is there.',
  claimed:
    'Someone is working there; purpose says at what. Work elsewhere until expires_at, or ask the holder: message with action send, to the id of holder.',
  deleted_since:
    'You wrote this here within the last day, and modified_by has deleted it. Nothing was written. Ask before you write it again; what has other content can be written.',
  claim_lost:
    'Your claim has ended. Read the document again with read_org_doc, then claim again with action take if you still need it.',
};

/** For a stale edit that still applies, with all changes in between shown. */
export const sendAgain =
  'Nothing was written. If diff does not contradict your edits, send them again with expected_commit set to current_commit; otherwise read it again first. on_stale: "apply" does so by itself where their surroundings are the same.';

/** For an edit that was to follow newer versions and could not. */
export const editsInTheWay =
  'Nothing was written: what your edits rely on has changed too, so they were not made on the newer version. diff shows it. Write edits for the text of now, with expected_commit set to current_commit.';

/** For a commit that is no version of the document. */
export const unknownCommit =
  'expected_commit is no version of this document. Take commit from the answer of read_org_doc, see whether your change still fits, and send it with that.';

/** For a write where the caller may only read. */
export const mayOnlyRead =
  'You may read there, and not write. Write elsewhere (brief_me names your role in each folder), or ask a person to make you an editor.';

/** For a location where a folder is. */
export const folderThere = 'This is a folder. Use list_org_docs for the documents in it, or name one of them.';

/** For a location where nothing is, with names like it. */
export const nameNear =
  'It is absent, or out of your reach, or you may not do this there. If you meant one of near, use that name; otherwise look with list_org_docs or search_org_knowledge, and at your role with brief_me (reach).';
