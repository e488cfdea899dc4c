// The features that two accounts can sync, and reasons against the others.
import { pairForm as texts } from '../../../texts/en/pairs.ts'
import { say } from '../../../texts/say.ts'
import type { Mode, Provider } from './draft.ts'

interface Support {
  /** Why the feature cannot be synced; null if it can. */
  readonly refusal: string | null
  /** Limits of the feature. */
  readonly notes: readonly string[]
}

export interface Ends {
  readonly a: Provider
  readonly b: Provider
  readonly nameOfA: string
  readonly nameOfB: string
  readonly mode: Mode
}

const { features: featureTexts, kinds: kindTexts } = texts

/** The reason why the two cannot form a pair in this direction. */
export function refusalOf({ a, b, nameOfA, nameOfB, mode }: Ends): string | null {
  if (mode === 'two_way') {
    const single = [[a, nameOfA] as const, [b, nameOfB] as const].find(([one]) => !one.capabilities.bidirectional)
    return single === undefined ? null : say(texts.notBothWays, { side: single[1] })
  }
  if (!a.can_source) return say(texts.noSource, { side: nameOfA })
  return b.can_target ? null : say(texts.noTarget, { side: nameOfB })
}

export function supportOf(
  feature: string,
  { a, b, nameOfA, nameOfB, mode }: Ends,
  labelOf: (feature: string) => string,
): Support {
  const sides = [
    { side: a, name: nameOfA, isWritten: mode === 'two_way' },
    { side: b, name: nameOfB, isWritten: true },
  ].map(({ side, ...rest }) => ({
    ...rest,
    can: side.features[feature] === true ? side.operations[feature] : undefined,
    kinds: side.types[feature] ?? [],
  }))
  const refuse = (refusal: string): Support => ({ refusal, notes: [] })

  const missing = sides.filter(({ can }) => can === undefined)
  if (missing.length === 2) return refuse(featureTexts.unsupportedBoth)
  if (missing[0] !== undefined) return refuse(say(featureTexts.unsupported, { sides: missing[0].name }))
  for (const { can, name, isWritten } of sides) {
    if (can?.read !== true) return refuse(say(featureTexts.noRead, { side: name }))
    if (isWritten && !can.add && !can.update) return refuse(say(featureTexts.noWrite, { side: name }))
  }

  const [first = [], second = []] = sides.map(({ kinds }) => kinds)
  const shared = first.filter((kind) => second.includes(kind))
  const notes = sides.flatMap(({ can, name, isWritten }) => {
    if (!isWritten || can === undefined) return []
    const also = can.removal_side_effects ?? []
    return [
      ...(can.remove ? [] : [say(featureTexts.noRemove, { side: name })]),
      ...(can.remove && also.length > 0
        ? [say(featureTexts.sideEffects, { side: name, features: also.map(labelOf).join(', ') })]
        : []),
    ]
  })
  const isPart = shared.length < Math.max(first.length, second.length)
  return {
    refusal: null,
    notes: [...(isPart ? [say(featureTexts.onlyKinds, { kinds: shared.map(kindText).join(', ') })] : []), ...notes],
  }
}

function kindText(kind: string): string {
  return (kindTexts as Readonly<Record<string, string>>)[kind] ?? kind
}
