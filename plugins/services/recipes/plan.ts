// One plan of a recipe and its accounts, joined from the proposals of all parts. Nothing is stored.
import {
  type AccountName,
  isListService,
  isSameAccount,
  joinedSetup,
  type ProviderDescription,
  type Remote,
  type SetupChange,
  type SetupEntry,
  type SetupPart,
  type SetupProposal,
  type SetupRefusal,
  type SetupWish,
} from '@playhead/sdk'
import type { Recipe, Step } from './recipes.ts'

/** Parts by name, in the order in which they are applied. */
export type SetupParts = ReadonlyMap<string, Remote<SetupPart>>

export interface PartChange extends SetupChange {
  /** Name of the part. */
  readonly part: string
}

export interface Plan {
  readonly recipe: string
  readonly accounts: Readonly<Record<string, AccountName>>
  readonly changes: readonly PartChange[]
  /** Stops of first copies, each made after a run of its pair. */
  readonly later: readonly PartChange[]
  readonly kept: readonly SetupEntry[]
  readonly refused: readonly SetupRefusal[]
  /** Services whose terms speak against pairs of this plan. */
  readonly terms: readonly string[]
  /** The pair to run first; null if there is none. */
  readonly firstPair: string | null
}

export async function makePlan(
  { id, steps }: Recipe,
  accounts: Readonly<Record<string, AccountName>>,
  parts: SetupParts,
  providers: readonly ProviderDescription[],
): Promise<Plan> {
  const ends = ({ source, target }: { readonly source: string; readonly target: string }) => ({
    source: accounts[source]!,
    target: accounts[target]!,
  })
  const wishOf = (step: Exclude<Step, { readonly kind: 'replace' }>): SetupWish => {
    if (step.kind === 'pair') return { ...step, ...ends(step) }
    return step.kind === 'schedule' ? step : { kind: step.kind, ...ends(step) }
  }
  const wishes = steps.filter((step) => step.kind !== 'replace').map(wishOf)
  const replaced = steps.filter((step) => step.kind === 'replace').map(ends)
  const proposals: SetupProposal[] = []
  const all: PartChange[] = []
  for (const [part, setup] of parts) {
    const own = [await setup.meet(wishes)]
    for (const { source: from, target: to } of replaced) own.push(await setup.replace({ from, to, earlier: all }))
    const joined = joinedSetup(own)
    proposals.push(joined)
    all.push(...joined.changes.map((change) => ({ ...change, part })))
  }
  const { kept, refused } = joinedSetup(proposals)
  const copies = wishes.filter((wish) => wish.kind === 'pair' && wish.once === true)
  // A pair that already copies is stopped after its next run.
  const isCopying = (one: PartChange) =>
    one.action === 'stop' && copies.length > 0 && kept.some((entry) => entry.kind === one.kind && entry.id === one.id)
  const stops = all.filter(isCopying).map((stop) => ({ ...stop, pair: { id: stop.id } }))
  const changes = all.filter((one) => !isCopying(one))
  const later = [...stops, ...changes.filter(({ once }) => once === true).map(stopOf)]
  const first = later[0]?.pair?.id ?? changes.find(({ kind, action }) => kind === 'pair' && action !== 'stop')?.id
  return {
    ...{ recipe: id, accounts, changes, later, kept, refused },
    terms: termsOf(changes, providers),
    firstPair: first ?? null,
  }
}

function stopOf(change: PartChange): PartChange {
  const { once: _, ...rest } = change
  return { ...rest, action: 'stop', before: { enabled: true }, after: { enabled: false } }
}

function termsOf(changes: readonly PartChange[], providers: readonly ProviderDescription[]): string[] {
  const service = (end: AccountName | null) => providers.find(({ id }) => id === end?.provider)
  const joined = changes
    .filter(({ action, source, target }) => action !== 'stop' && source !== null && target !== null)
    .filter(({ source, target }) => !isSameAccount(source!, target!) && source!.provider !== target!.provider)
    .map(({ source, target }) => [service(source), service(target)])
    .filter((ends) => ends.every((end) => end !== undefined && isListService(end)))
    .flat()
  return [...new Set(joined.flatMap((one) => (one?.terms?.pairs === undefined ? [] : [one.id])))]
}
