// What two sides can keep alike, and why not more.
import { pairForm as texts } from '../../../texts/en/pairs.ts'
import { say } from '../../../texts/say.ts'
import type { Mode, Provider } from './draft.ts'

export interface Support {
  /** Why it is not possible at all; null when it is. */
  readonly refusal: string | null
  /** What is to be known about it. */
  readonly notes: readonly string[]
}

export interface Ends {
  readonly a: Provider
  readonly b: Provider
  readonly nameOfA: string
  readonly nameOfB: string
  readonly mode: Mode
}

const { features: words, kinds: kindWords } = texts

/** Why the two cannot be a pair in this direction at all. */
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
  if (missing.length === 2) return refuse(words.unsupportedBoth)
  if (missing[0] !== undefined) return refuse(say(words.unsupported, { sides: missing[0].name }))
  for (const { can, name, isWritten } of sides) {
    if (can?.read !== true) return refuse(say(words.noRead, { side: name }))
    if (isWritten && !can.add && !can.update) return refuse(say(words.noWrite, { side: name }))
  }

  const [first = [], second = []] = sides.map(({ kinds }) => kinds)
  const shared = first.filter((kind) => second.includes(kind))
  const notes = sides.flatMap(({ can, name, isWritten }) => {
    if (!isWritten || can === undefined) return []
    const also = can.removal_side_effects ?? []
    return [
      ...(can.remove ? [] : [say(words.noRemove, { side: name })]),
      ...(can.remove && also.length > 0
        ? [say(words.sideEffects, { side: name, features: also.map(labelOf).join(', ') })]
        : []),
    ]
  })
  const isPart = shared.length < Math.max(first.length, second.length)
  return {
    refusal: null,
    notes: [...(isPart ? [say(words.onlyKinds, { kinds: shared.map(kindWord).join(', ') })] : []), ...notes],
  }
}

function kindWord(kind: string): string {
  return (kindWords as Readonly<Record<string, string>>)[kind] ?? kind
}
