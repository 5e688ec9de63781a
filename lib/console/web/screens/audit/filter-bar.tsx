import { X } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { Button } from '../../design/button.tsx';
import { SelectField, TextField } from '../../design/field.tsx';
import { nameOfSpan, spans, type Filters } from './filters.ts';

export interface FilterProps {
  readonly filters: Filters;
  readonly onChange: (change: Filters) => void;
}

/** A span of time: by a word, or by two days. */
export function TimeFilter({ filters, onChange }: FilterProps): ReactNode {
  const { time, from, to } = filters;
  return (
    <>
      <SelectField
        label="Time"
        value={time ?? ''}
        onChange={({ target }) =>
          onChange({
            time: target.value || undefined,
            ...(target.value !== 'days' && { from: undefined, to: undefined }),
          })
        }
      >
        <option value="">Any time</option>
        {spans.map((span) => (
          <option key={span} value={span}>
            {nameOfSpan[span]}
          </option>
        ))}
      </SelectField>
      {time === 'days' && (
        <>
          <TextField
            label="From"
            type="date"
            value={from ?? ''}
            max={to}
            onChange={({ target }) => onChange({ from: target.value || undefined })}
          />
          <TextField
            label="To"
            type="date"
            value={to ?? ''}
            min={from}
            onChange={({ target }) => onChange({ to: target.value || undefined })}
          />
        </>
      )}
    </>
  );
}

interface TextFilterProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | undefined;
  readonly maxLength: number;
  readonly onChange: (value: string | undefined) => void;
}

/** A text that filters once it is entered: by Enter, or by leaving the field. */
export function TextFilter({ label, placeholder, value, maxLength, onChange }: TextFilterProps): ReactNode {
  const [text, setText] = useState(value ?? '');
  useEffect(() => setText(value ?? ''), [value]);
  const enter = (): void => {
    const entered = text.trim();
    if (entered !== (value ?? '')) onChange(entered === '' ? undefined : entered);
  };
  return (
    <TextField
      label={label}
      placeholder={placeholder}
      maxLength={maxLength}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onBlur={enter}
      onKeyDown={({ key }) => {
        if (key === 'Enter') enter();
      }}
    />
  );
}

/** Takes slashes off both ends of a location. */
export function trimLocation(text: string | undefined): string | undefined {
  return text?.replace(/^\//, '').replace(/\/$/, '');
}

/** Takes all filters away, where there are any. */
export function ClearFilters({ filters, onChange }: FilterProps): ReactNode {
  const names = Object.keys(filters);
  if (names.length === 0) return null;
  return (
    <Button
      look="quiet"
      icon={X}
      onClick={() => onChange(Object.fromEntries(names.map((name) => [name, undefined])) as Filters)}
    >
      Clear filters
    </Button>
  );
}
