// The recipes with the accounts that fit them, and suggestions: signed-in accounts first, then popular services.
import { type Account, accountLabel, isLocalSignIn, isListService, type ProviderDescription } from '@playhead/sdk'
import { RECIPES, type Recipe, type Role, type Slot } from './recipes.ts'

const MAX_SUGGESTIONS = 4
const UNRANKED = 1_000

export interface World {
  readonly providers: readonly ProviderDescription[]
  readonly accounts: readonly Account[]
}

interface OfferedAccount {
  readonly provider: string
  readonly instance: string
  /** Service and profile. */
  readonly label: string
  readonly connected: boolean
}

interface Candidate extends OfferedAccount {
  readonly rank: number
  /** A person signed in to it, so that it says what they use. */
  readonly isOwn: boolean
}

export function fits(role: Role, provider: ProviderDescription): boolean {
  return role === 'server' ? provider.group === 'media_server' : isListService(provider) || isLocalSignIn(provider)
}

export function offerOf({ providers, accounts }: World) {
  const candidates = (role: Role): readonly Candidate[] =>
    providers
      .filter((provider) => fits(role, provider))
      .flatMap((provider) => {
        const own = accounts.filter((one) => one.provider === provider.id && one.configured)
        const isLocal = isLocalSignIn(provider)
        const about = { provider: provider.id, rank: isLocal ? 2 * UNRANKED : (provider.popular ?? UNRANKED) }
        const shown = own.map(({ instance, label }) => ({
          ...{ ...about, instance, label: accountLabel(provider.label, instance, label) },
          ...{ connected: true, isOwn: !isLocal },
        }))
        const unknown = { ...about, instance: 'default', label: provider.label, connected: false, isOwn: false }
        return shown.length > 0 ? shown : [unknown]
      })
      .toSorted((a, b) => Number(b.isOwn) - Number(a.isOwn) || a.rank - b.rank || (a.label < b.label ? -1 : 1))
  return RECIPES.map((recipe) => {
    const bySlot = recipe.slots.map((slot) => [slot, candidates(slot.role)] as const)
    return {
      ...{ id: recipe.id, name: recipe.name, title: recipe.title, text: recipe.text },
      slots: bySlot.map(([{ id, label }, all]) => ({ id, label, accounts: all.map(shownOf) })),
      suggestions: suggestionsOf(recipe, bySlot),
    }
  })
}

function shownOf({ provider, instance, label, connected }: Candidate): OfferedAccount {
  return { provider, instance, label, connected }
}

function suggestionsOf({ slots }: Recipe, bySlot: readonly (readonly [Slot, readonly Candidate[]])[]) {
  const [first, second] = bySlot.map(([, all]) => all) as [readonly Candidate[], readonly Candidate[]]
  const isSymmetric = slots[0]?.id === 'first'
  const combined = first.flatMap((a, n) =>
    (isSymmetric ? second.slice(n + 1) : second)
      .filter((b) => a.provider !== b.provider || a.instance !== b.instance)
      .map((b) => [a, b] as const),
  )
  const value = (pair: readonly Candidate[]) => pair.reduce((sum, { isOwn }) => sum + Number(isOwn), 0)
  const rank = (pair: readonly Candidate[]) => pair.reduce((sum, one) => sum + one.rank, 0)
  return combined
    .toSorted((a, b) => value(b) - value(a) || rank(a) - rank(b) || a[0].rank - b[0].rank)
    .slice(0, MAX_SUGGESTIONS)
    .map((pair) => ({
      accounts: Object.fromEntries(pair.map((one, n) => [slots[n]!.id, shownOf(one)])),
      ready: pair.every(({ connected }) => connected),
    }))
}
