import { useEffect, useState, type ReactNode } from 'react';
import { ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { Link } from 'wouter';
import { asProblem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/session.ts';
import { KindBadge } from '../../design/badge.tsx';
import { takeFocus } from '../../design/take-focus.ts';
import { addressOf } from '../../navigation/addresses.ts';
import { useFound, type Found } from './share-queries.ts';

interface SubjectPickerProps {
  readonly workspace: string;
  /** Those chosen before, which are not offered again. */
  readonly chosen: readonly Found[];
  readonly error: string | undefined;
  readonly onPick: (subject: Found) => void;
  /** The name of the field. */
  readonly label?: string;
  /** Which of those found are offered. Left out: all. */
  readonly isWanted?: (subject: Found) => boolean;
  /** Shown below the field while nothing is typed. */
  readonly hint?: ReactNode;
  /** Whether the field is where the page is begun. */
  readonly isFirst?: boolean;
}

const everyone = (): boolean => true;

/** Finds people, agents and groups by the beginning of a name. */
export function SubjectPicker(props: SubjectPickerProps): ReactNode {
  const { workspace, chosen, error, onPick, label = 'People, agents and groups', isWanted = everyone } = props;
  const { hint = 'Type the beginning of a name.', isFirst = true } = props;
  const [text, setText] = useState('');
  const [around, setAround] = useState<HTMLDivElement | null>(null);
  const asked = useSettled(text.trim());
  const found = useFound(workspace, asked);
  const isCurrent = asked === text.trim() && !found.isPlaceholderData;
  const offered = (found.data ?? []).filter(
    (each) => text.trim() !== '' && isWanted(each) && !chosen.some(({ id }) => id === each.id),
  );
  const hasNoMatch = text.trim() !== '' && isCurrent && found.data !== undefined && offered.length === 0;
  const pick = (key: string | number | null): void => {
    const subject = offered.find(({ id }) => id === key);
    if (subject === undefined) return;
    setText('');
    onPick(subject);
  };
  return (
    <div className="share-picker" ref={setAround}>
      <ComboBox
        className="field"
        items={offered}
        inputValue={text}
        onInputChange={setText}
        value={null}
        onChange={pick}
        defaultFilter={() => true}
        // While the answer is on its way, the list is open and empty: it does not open for names that come later.
        allowsEmptyCollection={text.trim() !== '' && !hasNoMatch}
        menuTrigger="input"
        isInvalid={error !== undefined}
        validationBehavior="aria"
      >
        <Label className="field-label">{label}</Label>
        <Input {...(isFirst && { ref: takeFocus })} className="field-input" maxLength={200} />
        <FieldError className="field-error">{error}</FieldError>
        {around !== null && (
          <Popover className="menu-popover share-popover" UNSTABLE_portalContainer={around} placement="bottom start">
            <ListBox<Found> className="menu" renderEmptyState={() => <p className="share-none">Searching…</p>}>
              {(subject) => (
                <ListBoxItem id={subject.id} textValue={subject.display_name} className="menu-item">
                  <bdi className="truncate">{subject.display_name}</bdi>
                  <span className="spacer" />
                  <KindBadge kind={subject.kind} />
                </ListBoxItem>
              )}
            </ListBox>
          </Popover>
        )}
      </ComboBox>
      <p className="field-hint" aria-live="polite">
        {found.error !== null ? asProblem(found.error).sentence : hasNoMatch ? <NoMatch workspace={workspace} /> : hint}
      </p>
    </div>
  );
}

/** Says how someone new gets in. */
function NoMatch({ workspace }: { workspace: string }): ReactNode {
  const { is_admin: isAdmin } = useWorkspace();
  return (
    <>
      No one here has a name that begins so.{' '}
      {isAdmin ? <Link href={addressOf.access(workspace)}>Add a person in Access</Link> : 'An admin can add people.'}
    </>
  );
}

/** The text once it has been the same for a moment, so that not every key asks the service. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), 150);
    return () => window.clearTimeout(timer);
  }, [text]);
  return settled;
}
