// The work of a row: the film, or the show of an episode or season.
import { type Item, kindOf, slugOf, titleTokenOf, tokensOf, workOf as workItemOf } from '@playhead/sdk/items'

export interface Work {
  /** Rows with the same name belong to the same work. */
  readonly name: string
  readonly kind: 'movie' | 'show'
  readonly title: string | null
  readonly year: number | null
  readonly ids: Item['ids']
  /** Works that share a token form one title. */
  readonly tokens: readonly string[]
}

/** Prefix of the work name of an episode with only its own ids. */
export const ORPHAN = 'orphan '

export function workOf(item: Item, provider: string): Work | undefined {
  const own = workItemOf(item)
  const title = textOf(own.title)
  const common = { kind: kindOf(own) as Work['kind'], title, year: own.year ?? null, ids: own.ids }
  const strong = tokensOf(own)
  if (strong.length > 0) return { ...common, tokens: strong, name: strong.join(' ') }
  // Ids that are shared only by accounts of one provider.
  const weak = tokensOf(own, { within: 'provider' }).map((token) => `${provider} ${token}`)
  if (weak.length > 0) return { ...common, tokens: weak, name: weak.join(' ') }
  const exact = titleTokenOf(own)
  if (exact !== undefined) return { ...common, tokens: [], name: exact }
  if (title !== null) return { ...common, tokens: [], name: `${common.kind}|slug:${slugOf(title)}` }
  const [first] = ownTokensOf(item)
  return first === undefined ? undefined : { ...common, tokens: [], name: ORPHAN + first }
}

/** The strong tokens of an episode's own ids. */
export function ownTokensOf(item: Item): readonly string[] {
  return item.type === 'episode' ? tokensOf(item).filter((token) => token.startsWith('episode:')) : []
}

export function textOf(text: string | null | undefined): string | null {
  const trimmed = (text ?? '').trim()
  return trimmed === '' ? null : trimmed
}
