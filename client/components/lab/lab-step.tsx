import { LinkSample, NextStep } from '../next-steps.tsx'

const BREAK = [
  ['/lab/flaky?fail=3', 'an upstream that fails three times'],
  ['/lab/error/render', 'a component that throws'],
  ['/lab/stream', 'a page that arrives in parts']
] as const

/** The lab in the next steps of the home page. */
export function LabStep({ isOn }: { isOn: boolean }) {
  return (
    <NextStep
      title="Cause an error in the lab"
      href={isOn ? '/lab' : undefined}
      sample={isOn && <LinkSample links={BREAK} />}
    >
      {isOn ? (
        'One page for each behaviour. Each page describes what should happen.'
      ) : (
        <>
          One page for each behaviour. The lab is off; set <code>LAB=true</code> to turn it on.
        </>
      )}
    </NextStep>
  )
}
