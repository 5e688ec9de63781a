import { useId, type ReactNode } from 'react';

interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  /** Undefined: nothing is chosen yet. */
  readonly value: Value | undefined;
  readonly onChange: (value: Value) => void;
  readonly isDisabled?: boolean;
}

/** A choice of one among a few words in a row. Radio buttons: arrows move, one stop of Tab. */
export function Segments<Value extends string>(props: SegmentsProps<Value>): ReactNode {
  const { label, options, value, onChange, isDisabled = false } = props;
  const name = useId();
  return (
    <fieldset className="segments" disabled={isDisabled}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="segment">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
