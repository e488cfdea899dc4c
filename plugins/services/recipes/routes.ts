// Routes of the recipes: what there is, a plan, and to apply and undo it.
import {
  type AccountName,
  accountLabel,
  type Accounts,
  AcrossPersons,
  assertOnePerson,
  type Caller,
  joinedPersons,
  namedAccount,
  oneOf,
  orNull,
  ownBaseUrl,
  type Person,
  PlayheadError,
  type PluginApp,
  type Remote,
  type SetupEntry,
  skipSerializer,
  type TObject,
  Type,
} from '@playhead/sdk'
import type { Applied, AppliedPlans } from './applied.ts'
import { fits, offerOf, type World } from './offer.ts'
import { makePlan, type PartChange, type Plan, type SetupParts } from './plan.ts'
import { RECIPES, type Recipe } from './recipes.ts'

const Text = Type.String()
const Name = Type.String({ minLength: 1, maxLength: 100 })
const PlanId = Type.String({ minLength: 1, maxLength: 64 })
const ApplyBody = Type.Object(
  { plan_id: PlanId, across_persons: AcrossPersons },
  { additionalProperties: false, title: 'RecipeApplyRequest' },
)
const UndoBody = Type.Object({ plan_id: PlanId }, { additionalProperties: false, title: 'RecipePlanName' })
const PlanBody = Type.Object(
  {
    recipe: Name,
    accounts: Type.Record(
      Type.String({ maxLength: 40 }),
      Type.Object({ provider: Name, instance: Type.String({ default: 'default', maxLength: 100 }) }),
      { description: 'An account for each slot of the recipe.' },
    ),
  },
  { additionalProperties: false, title: 'RecipePlanRequest' },
)

const End = Type.Object({ provider: Text, instance: Text, label: Text }, { title: 'RecipeAccount' })
const ENTRY = {
  kind: Type.String({ description: '`pair`, `playlist`, `scrobble`, `webhook`, `schedule`.' }),
  label: Text,
  source: orNull(End),
  target: orNull(End),
  mode: orNull(oneOf(['one_way', 'two_way'])),
  features: Type.Array(Text),
}
const Entry = Type.Object({ id: Text, ...ENTRY }, { title: 'RecipeEntry' })
const Change = Type.Object(
  {
    id: Text,
    ...ENTRY,
    action: oneOf(['make', 'change', 'stop', 'start', 'remove']),
    once: Type.Boolean({ description: 'A first copy: it is stopped after its first complete run.' }),
    address: orNull(Type.String({ description: 'Of a webhook, for the settings of the media server.' })),
  },
  { title: 'RecipeChange' },
)
const Refusal = Type.Object({ ...ENTRY, reason: Text }, { title: 'RecipeRefusal' })
const PlanAnswer = {
  ok: Type.Boolean(),
  plan_id: Text,
  recipe: Text,
  accounts: Type.Record(Text, End),
  changes: Type.Array(Change, { description: 'What is made or changed. Empty: all of it is set up already.' }),
  kept: Type.Array(Entry, { description: 'What is set up already.' }),
  refused: Type.Array(Refusal, { description: 'What is not possible, and why.' }),
  terms: Type.Array(Type.Object({ provider: Text, label: Text, text: Text }), {
    description: 'What the terms of services say against joining these accounts.',
  }),
  persons: Type.Array(Text, {
    description:
      'Names of the persons whose accounts are joined with those of another one. Applying asks for `across_persons`.',
  }),
  first_pair: orNull(Type.String({ description: 'The pair to run first.' })),
}
const STATUSES = ['applying', 'applied', 'undoing', 'undone'] as const
const Applicable = Type.Object({
  ...PlanAnswer,
  status: oneOf(STATUSES),
  left: Type.Array(Entry, { description: 'After an undo: what a person changed since, and what therefore stays.' }),
})
const Offered = Type.Object(
  { provider: Text, instance: Text, label: Text, connected: Type.Boolean() },
  { title: 'RecipeCandidate' },
)
const ListAnswer = Type.Object({
  ok: Type.Boolean(),
  recipes: Type.Array(
    Type.Object({
      id: Text,
      name: Text,
      title: Type.String({ description: 'With the ids of slots in braces.' }),
      text: Text,
      slots: Type.Array(Type.Object({ id: Text, label: Text, accounts: Type.Array(Offered) })),
      suggestions: Type.Array(
        Type.Object({
          accounts: Type.Record(Text, Offered),
          ready: Type.Boolean({ description: 'All of its accounts are signed in.' }),
        }),
      ),
    }),
  ),
  applied: Type.Array(
    Type.Object({
      plan_id: Text,
      recipe: Text,
      title: Text,
      accounts: Type.Record(Text, End),
      status: oneOf(STATUSES),
      at: Type.Integer({ description: 'Epoch seconds.' }),
      copying: Type.Boolean({ description: 'A first copy has not run to its end yet.' }),
    }),
    { description: 'Plans that were applied, newest first.' },
  ),
})

interface RouteParts {
  readonly plans: AppliedPlans
  readonly accounts: Remote<Accounts>
  parts(): SetupParts
  persons(): Promise<readonly Person[]>
}

interface ActBody {
  readonly plan_id: string
  readonly across_persons?: boolean
}

interface Request {
  readonly recipe: string
  readonly accounts: Readonly<Record<string, { readonly provider: string; readonly instance?: string }>>
}

export function registerRecipeRoutes(app: PluginApp, { plans, accounts, parts, persons }: RouteParts): void {
  const world = async (): Promise<World> => {
    const [providers, list] = await Promise.all([accounts.providers(), accounts.list()])
    return { providers, accounts: list }
  }

  app.get(
    '/api/recipes',
    {
      ...skipSerializer,
      schema: {
        summary: 'Recipes with the accounts that fit them, and the plans that were applied',
        response: { 200: ListAnswer },
      },
    },
    async () => {
      const known = await world()
      const applied = await plans.list()
      return {
        ok: true,
        recipes: offerOf(known),
        applied: applied.map(({ id, recipe, accounts: ends, status, atMs, later, pending }) => ({
          ...{ plan_id: id, recipe, title: RECIPES.find((one) => one.id === recipe)?.title ?? recipe },
          accounts: shownEnds(ends, known),
          ...{
            status,
            at: Math.floor(atMs / 1_000),
            copying: status === 'applied' && later.length + pending.length > 0,
          },
        })),
      }
    },
  )

  app.post<{ Body: Request }>(
    '/api/recipes/plan',
    {
      ...skipSerializer,
      schema: {
        summary: 'Plans a recipe with some accounts; changes nothing',
        body: PlanBody,
        response: { 200: Type.Object(PlanAnswer) },
      },
    },
    async ({ body, caller }) => {
      const recipe = RECIPES.find(({ id }) => id === body.recipe)
      if (recipe === undefined)
        throw new PlayheadError('PLH_NOT_FOUND', 'This recipe does not exist.', { wire: 'unknown_recipe' })
      const known = await world()
      const plan = await makePlan(recipe, await endsOf(recipe, body), parts(), known.providers)
      return { ok: true, ...(await shown(await plans.propose(plan), plan, known, caller)) }
    },
  )

  const act = (path: string, summary: string, schema: TObject, work: (body: ActBody) => Promise<Applied>) =>
    app.post<{ Body: ActBody }>(
      path,
      { ...skipSerializer, schema: { summary, body: schema, response: { 200: Applicable } } },
      async ({ body, caller }) => {
        const known = await world()
        const applied = await work(body)
        const left = applied.left.map((entry) => shownEntry(entry, known))
        return { ok: true, ...(await shown(applied.id, applied, known, caller)), status: applied.status, left }
      },
    )
  act(
    '/api/recipes/apply',
    'Applies a plan as a whole; a second time has no further effect',
    ApplyBody,
    ({ plan_id: id, across_persons: isConfirmed }) =>
      plans.apply(id, async (plan) => assertOnePerson(await persons(), joinedBy(plan), isConfirmed)),
  )
  act('/api/recipes/undo', 'Undoes an applied plan; what a person changed since stays', UndoBody, (body) =>
    plans.undo(body.plan_id),
  )

  /** The accounts of the slots, which are signed in. */
  async function endsOf({ slots }: Recipe, { accounts: asked }: Request): Promise<Record<string, AccountName>> {
    const ends: Record<string, AccountName> = {}
    for (const { id, role } of slots) {
      const named = Object.hasOwn(asked, id) ? asked[id] : undefined
      if (named === undefined) throw invalid('account_required', `Choose an account for "${id}".`, id)
      const found = await namedAccount(accounts, named.provider, named.instance)
      const end = { provider: found.provider, instance: found.instance }
      if (!fits(role, found.description)) throw invalid('account_unfit', `${found.description.label} does not fit.`, id)
      if (!found.account.configured)
        throw new PlayheadError('PLH_CONFLICT', `Sign in to ${found.description.label} first.`, {
          wire: 'account_not_connected',
          details: { slot: id, ...end },
        })
      if (Object.values(ends).some((one) => one.provider === end.provider && one.instance === end.instance))
        throw invalid('same_account', 'Choose two different accounts.', id)
      ends[id] = end
    }
    return ends
  }

  async function shown(id: string, plan: Plan, known: World, caller: Caller) {
    const [addresses, household] = await Promise.all([addressesOf(plan.changes), persons()])
    return {
      ...{ plan_id: id, recipe: plan.recipe, accounts: shownEnds(plan.accounts, known) },
      changes: plan.changes.map((change) => ({
        ...shownEntry(change, known),
        ...{ action: change.action, once: change.once === true },
        address: addresses.has(keyOf(change)) ? ownBaseUrl(caller) + addresses.get(keyOf(change)) : null,
      })),
      kept: plan.kept.map((entry) => shownEntry(entry, known)),
      refused: plan.refused.map(({ reason, ...entry }) => ({ ...shownEntry(entry, known), reason })),
      terms: plan.terms.flatMap((provider) => {
        const service = known.providers.find((one) => one.id === provider)
        const text = service?.terms?.pairs
        return service === undefined || text === undefined ? [] : [{ provider, label: service.label, text }]
      }),
      persons: joinedPersons(household, joinedBy(plan)).map(({ name }) => name),
      first_pair: plan.firstPair,
    }
  }

  async function addressesOf(changes: readonly PartChange[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    for (const [part, own] of Map.groupBy(changes, (change) => change.part)) {
      const ids = own.filter(({ kind }) => kind === 'webhook').map(({ id }) => id)
      if (ids.length === 0) continue
      const addresses = (await parts().get(part)?.addresses?.(ids)) ?? {}
      for (const [id, address] of Object.entries(addresses)) found.set(keyOf({ part, id }), address)
    }
    return found
  }
}

/** The accounts of the plan, and those of each of its changes. */
function joinedBy({ accounts, changes, later }: Plan): readonly (readonly AccountName[])[] {
  const ends = [...changes, ...later].map(({ source, target }) => [source, target].filter((end) => end !== null))
  return [Object.values(accounts), ...ends]
}

const keyOf = ({ part, id }: Pick<PartChange, 'part' | 'id'>) => `${part} ${id}`

function invalid(wire: string, message: string, slot: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', message, { wire, details: { slot } })
}

function shownEnd({ provider, instance }: AccountName, { providers, accounts }: World) {
  const service = providers.find(({ id }) => id === provider)
  const account = accounts.find((one) => one.provider === provider && one.instance === instance)
  return { provider, instance, label: accountLabel(service?.label ?? provider, instance, account?.label) }
}

function shownEnds(ends: Readonly<Record<string, AccountName>>, known: World) {
  return Object.fromEntries(Object.entries(ends).map(([slot, end]) => [slot, shownEnd(end, known)]))
}

function shownEntry<Id extends string | undefined>(
  { kind, id, label, source, target, mode, features }: Omit<SetupEntry, 'id'> & { readonly id?: Id },
  known: World,
) {
  return {
    ...(id === undefined ? {} : { id }),
    ...{ kind, label, mode: mode ?? null, features: features ?? [] },
    source: source && shownEnd(source, known),
    target: target && shownEnd(target, known),
  }
}
