import { X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useWorkspace } from '../../api/session.ts';
import { Who } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { SubjectPicker } from '../share/subject-picker.tsx';
import type { Found } from '../share/share-queries.ts';
import type { FilterProps } from './filter-bar.tsx';
import type { AuditEntry } from './audit-queries.ts';

/** Chooses whose doings are listed: by a part of the name. */
export function PrincipalFilter({
  filters: { principal },
  onChange,
  items,
}: FilterProps & {
  /** The records so far: they name a principal that the address has by its id alone. */
  readonly items: readonly AuditEntry[];
}): ReactNode {
  const { name, principal_id: me } = useWorkspace();
  const [picked, setPicked] = useState<Found>();
  if (principal === undefined) {
    return (
      <div className="audit-principal">
        <SubjectPicker
          workspace={name}
          label="Who"
          isFirst={false}
          hint={
            <Button look="quiet" size="small" onClick={() => onChange({ principal: me })}>
              Only me
            </Button>
          }
          isWanted={({ kind }) => kind !== 'group'}
          chosen={[]}
          error={undefined}
          onPick={(found) => {
            setPicked(found);
            onChange({ principal: found.id });
          }}
        />
      </div>
    );
  }
  const recorded = items.find((record) => record.principal?.id === principal)?.principal ?? undefined;
  const known = picked?.id === principal ? picked : recorded;
  return (
    <div className="field audit-principal">
      <span className="field-label">Who</span>
      <span className="audit-chosen">
        {known === undefined ? (
          <code className="truncate">{principal}</code>
        ) : (
          <Who name={known.display_name} kind={known.kind} />
        )}
        <IconButton label="Everyone again" icon={X} onClick={() => onChange({ principal: undefined })} />
      </span>
    </div>
  );
}
