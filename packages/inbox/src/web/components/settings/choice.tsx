interface ChoiceProps {
  name: string
  label: string
  options: readonly (readonly [value: string | number, label: string])[]
  /** Chosen value. @default the first */
  value?: string | number | undefined
}

/** A labelled list to choose from. */
export function Choice({ name, label, options, value }: ChoiceProps) {
  return (
    <>
      <label htmlFor={name}>{label}</label>
      <select className="input input-choice" id={name} name={name} defaultValue={value}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </>
  )
}
