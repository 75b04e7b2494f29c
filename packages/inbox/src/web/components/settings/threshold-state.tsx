import type { MeasuredThreshold } from '../../../alerts/thresholds.ts'
import { TimeAgo } from '../shared/time.tsx'

/** Whether a threshold fires. */
export function ThresholdState({ threshold, isPast }: Pick<MeasuredThreshold, 'threshold' | 'isPast'>) {
  const { isEnabled, firingSince } = threshold
  if (!isEnabled) return <span className="state">Off</span>
  if (firingSince !== undefined)
    return (
      <span className="state state-bad">
        Fires since <TimeAgo at={firingSince} />
      </span>
    )
  if (isPast) return <span className="state state-bad">Beyond the bound</span>
  if (isPast === undefined) return <span className="state">Too few samples</span>
  return <span className="state state-good">Within the bound</span>
}
