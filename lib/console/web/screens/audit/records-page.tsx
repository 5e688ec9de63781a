import { ScrollText } from 'lucide-react';
import type { ReactNode } from 'react';
import { itemsOf } from '../../api/read.ts';
import { useWorkspace } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { SelectField } from '../../design/field.tsx';
import { Page } from '../../design/page.tsx';
import { ProblemState, Skeleton, State } from '../../design/state.tsx';
import { actionGroups, isKnownAction } from './describe-record.ts';
import { ClearFilters, TextFilter, TimeFilter, trimLocation, type FilterProps } from './filter-bar.tsx';
import type { Filters } from './filters.ts';
import { PrincipalFilter } from './principal-filter.tsx';
import { useReadOn, useRecords, type AuditEntry } from './audit-queries.ts';
import { RecordList } from './record-list.tsx';
import { AuditTabs } from './audit-tabs.tsx';
import { useFilters } from './use-filters.ts';

/** What was done: by everyone for admins, at a place for its approvers, and by oneself for everyone. */
export function RecordsPage(): ReactNode {
  const [filters, change] = useFilters();
  const records = useRecords(filters);
  const items = itemsOf(records);
  useReadOn(records, items?.length === 0);
  return (
    <Page title="Audit log">
      <AuditTabs current="records" filters={filters} />
      <FilterBar filters={filters} onChange={change} items={items ?? []} />
      <Scope filters={filters} />
      {items === undefined ? (
        records.error === null ? (
          <Skeleton lines={8} />
        ) : (
          <ProblemState error={records.error} what="place" onRetry={() => void records.refetch()} />
        )
      ) : items.length > 0 ? (
        <section className="panel" aria-label="Records">
          <RecordList records={items} />
        </section>
      ) : (
        !records.hasNextPage && <Nothing filters={filters} />
      )}
      {records.hasNextPage && (
        <div className="entries-more">
          <Button isPending={records.isFetchingNextPage} onClick={() => void records.fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
    </Page>
  );
}

function Nothing({ filters }: { filters: Filters }): ReactNode {
  return (
    <State icon={ScrollText} title="No records">
      <p>
        {Object.keys(filters).length === 0
          ? 'Nothing has been recorded yet that you may see.'
          : 'No record that you may see passes these filters.'}
      </p>
    </State>
  );
}

/** Says whose records these are. */
function Scope({ filters: { location } }: { filters: Filters }): ReactNode {
  const { is_admin: isAdmin } = useWorkspace();
  if (isAdmin || location !== undefined) return null;
  return (
    <p className="soft">
      These are your own doings. Where you are an approver, enter the place to see what everyone did there.
    </p>
  );
}

function FilterBar({ filters, onChange, items }: FilterProps & { items: readonly AuditEntry[] }): ReactNode {
  const { is_admin: isAdmin } = useWorkspace();
  const { location, action, outcome, request } = filters;
  return (
    <search className="audit-filters" aria-label="Filter records">
      <TextFilter
        label="Place"
        placeholder={isAdmin ? 'Everywhere' : 'Your own doings'}
        maxLength={1024}
        value={location}
        onChange={(text) => onChange({ location: trimLocation(text) })}
      />
      {(isAdmin || location !== undefined) && <PrincipalFilter filters={filters} onChange={onChange} items={items} />}
      <SelectField
        label="What"
        value={action ?? ''}
        onChange={({ target }) => onChange({ action: target.value || undefined })}
      >
        <option value="">Anything</option>
        {action !== undefined && !isKnownAction(action) && <option value={action}>{action}</option>}
        {actionGroups.map(({ title, actions }) => (
          <optgroup key={title} label={title}>
            {actions.map(([name, phrase]) => (
              <option key={name} value={name}>
                {phrase}
              </option>
            ))}
          </optgroup>
        ))}
      </SelectField>
      <SelectField
        label="Outcome"
        value={outcome ?? ''}
        onChange={({ target }) => onChange({ outcome: target.value || undefined })}
      >
        <option value="">Done and refused</option>
        <option value="done">Done</option>
        <option value="refused">Refused</option>
      </SelectField>
      <TimeFilter filters={filters} onChange={onChange} />
      <TextFilter
        label="Request id"
        placeholder="Any"
        maxLength={128}
        value={request}
        onChange={(text) => onChange({ request: text })}
      />
      <ClearFilters filters={filters} onChange={onChange} />
    </search>
  );
}
