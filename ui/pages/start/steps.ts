// The current step of the setup guide. It is stored in the address so that a reload keeps it.
import { useSearchParams } from 'wouter'

export const STEPS = ['connect', 'choose', 'plan', 'run'] as const
export type Step = (typeof STEPS)[number]

export interface Place {
  readonly step: Step
  readonly pairId: string | null
  /** The run that created the plan. */
  readonly planRun: string | null
  readonly runId: string | null
}

export type GoTo = (place: Partial<Place>) => void

export function usePlace(): readonly [Place, GoTo] {
  const [search, setSearch] = useSearchParams()
  const given: Place = {
    step: STEPS.find((step) => step === search.get('step')) ?? 'connect',
    pairId: search.get('pair'),
    planRun: search.get('plan'),
    runId: search.get('run'),
  }
  const goTo: GoTo = (next) => {
    const { step, pairId, planRun, runId } = { ...given, ...next }
    const entries = Object.entries({ step, pair: pairId, plan: planRun, run: runId }).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    )
    setSearch(new URLSearchParams(entries))
  }
  return [reachable(given), goTo]
}

function reachable(place: Place): Place {
  if (place.step === 'run' && place.runId === null) return { ...place, step: 'connect' }
  return place.step === 'plan' && (place.planRun === null || place.pairId === null)
    ? { ...place, step: 'connect' }
    : place
}
