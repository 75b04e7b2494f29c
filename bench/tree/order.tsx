export const orderTitle = 'Order'

const TEXTS = ['Name', 'Company', 'Street', 'City', 'Postcode', 'Telephone']
const COUNTRIES = Array.from({ length: 30 }, (_, index) => `Country ${index + 1}`)
const WAYS = ['Post', 'Courier', 'Collection']
const EXTRAS = ['Insurance', 'Gift wrapping', 'Signature']

const toName = (label: string) => label.toLowerCase().replace(' ', '-')

/** A form of fourteen fields. */
export function Order() {
  return (
    <main className="order">
      <h1>{orderTitle}</h1>
      <form method="post">
        {TEXTS.map((label) => (
          <Text key={label} label={label} />
        ))}
        <p>
          <label htmlFor="country">Country</label>
          <select id="country" name="country" defaultValue={COUNTRIES[6]}>
            {COUNTRIES.map((country) => (
              <option key={country}>{country}</option>
            ))}
          </select>
        </p>
        <Choices legend="Delivery" type="radio" labels={WAYS} />
        <Choices legend="Extras" type="checkbox" labels={EXTRAS} />
        <p>
          <label htmlFor="note">Note</label>
          <textarea id="note" name="note" rows={4} defaultValue="Leave it at the door." />
        </p>
        <button type="submit">Send the order</button>
      </form>
    </main>
  )
}

function Text({ label }: { label: string }) {
  const id = toName(label)
  return (
    <p>
      <label htmlFor={id}>{label}</label>
      <input id={id} name={id} type="text" required autoComplete="off" defaultValue={`My ${id}`} />
      <small id={`${id}-hint`}>{`${label} as it is on the parcel`}</small>
    </p>
  )
}

function Choices({ legend, type, labels }: { legend: string; type: 'radio' | 'checkbox'; labels: string[] }) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {labels.map((label, index) => (
        <label key={label}>
          <input type={type} name={toName(legend)} value={toName(label)} defaultChecked={index === 0} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  )
}
