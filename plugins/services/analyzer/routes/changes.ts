// Routes for corrections of rows: patch, suggestions, fixes, deletion, undo, and hiding of problems.
import {
  AcrossPersons,
  ANALYZED_FEATURES,
  assertOnePerson,
  defined,
  householdOf,
  type Item,
  labelledReasons,
  oneOf,
  PlayheadError,
  type PluginApp,
  skipSerializer,
  Type,
} from '@playhead/sdk'
import { type AnalyzedFeature, type FixPlan, withPeerIds } from '@playhead/sdk/analyzer'
import { withIds } from '../act/ids.ts'
import { suggest } from '../act/suggest.ts'
import type { Target } from '../act/correct.ts'
import { findAccount } from '../find-account.ts'
import { notFound } from '../not-found.ts'
import { type Parts, readPairs } from '../parts.ts'
import type { Exclusion } from '../pass/view.ts'
import { ChangeAnswer, ChangesAnswer, DeleteAnswer, ExclusionsAnswer, SuggestAnswer, UndoAnswer } from './answers.ts'
import { Pairs } from './problems.ts'
import { Key } from './state.ts'

const Name = Type.String({ minLength: 1, maxLength: 200 })
const Row = { provider: Name, feature: oneOf(ANALYZED_FEATURES), key: Key }
const Ids = Type.Record(Type.String({ maxLength: 40 }), Type.Unknown(), {
  description: 'Ids by kind, of an episode or season those of its show. null, or what is no id, removes one.',
  maxProperties: 40,
})
const querystring = Type.Object({ pairs: Pairs })

interface RowBody {
  readonly provider: string
  readonly feature: AnalyzedFeature
  readonly key: string
}
type Query = { readonly pairs?: string }

export function registerChangeRoutes(app: PluginApp, parts: Parts): void {
  const { ctx, runner, corrections, changes, exclusions } = parts

  async function targetOf({ provider, feature, key }: RowBody): Promise<Target> {
    return { ...(await findAccount(parts, provider, feature)), feature, key }
  }

  /** Related data: the row in other accounts of its pairs, and rows with its title. */
  async function related(query: Query, target: Target) {
    const { answer } = await runner.ask(readPairs(query.pairs), (pass) =>
      runner.thread.related(pass.key, target, target.feature, target.key),
    )
    if (answer.related === null) throw notFound('item_not_found', 'The account does not have this item.')
    return answer.related
  }

  app.post<{
    Querystring: Query
    Body: RowBody & { ids: Record<string, unknown>; merge_peer_ids?: boolean; rekey?: boolean }
  }>(
    '/api/analyzer/patch',
    {
      ...skipSerializer,
      schema: {
        summary: 'Correct the ids of a row',
        querystring,
        body: Type.Object(
          {
            ...Row,
            ids: Ids,
            merge_peer_ids: Type.Boolean({
              default: false,
              description: 'Also take ids that other rows of the title have.',
            }),
            rekey: Type.Boolean({ default: false, description: 'The key follows the ids.' }),
          },
          { additionalProperties: true },
        ),
        response: { 200: ChangeAnswer },
      },
    },
    async ({ query, body }) => {
      const target = await targetOf(body)
      const before = await corrections.rowOf(target)
      let after = withIds(before, body.ids, 'remove')
      if (body.merge_peer_ids === true)
        after = withPeerIds({ row: { key: target.key, item: after }, ...(await related(query, target)) }).item
      return answerOf(await corrections.correct(target, before, after, 'patch', body.rekey === true))
    },
  )

  app.patch<{
    Querystring: Query
    Body: RowBody & { updates: { title?: string | null; year?: number | null; ids?: Record<string, unknown> } }
  }>(
    '/api/analyzer/item',
    {
      ...skipSerializer,
      schema: {
        summary: 'Correct title, year and ids of a row',
        querystring,
        body: Type.Object({
          ...Row,
          updates: Type.Object(
            {
              title: Type.Optional(Type.Union([Type.String({ maxLength: 500 }), Type.Null()])),
              year: Type.Optional(Type.Union([Type.Integer({ minimum: 1800, maximum: 2200 }), Type.Null()])),
              ids: Type.Optional(Ids),
            },
            { additionalProperties: false, description: 'An empty id is ignored.' },
          ),
        }),
        response: { 200: ChangeAnswer },
      },
    },
    async ({ body }) => {
      const target = await targetOf(body)
      const before = await corrections.rowOf(target)
      const { title, year, ids = {} } = body.updates
      const after: Item = { ...withIds(before, ids, 'keep'), ...defined({ title, year }) }
      return answerOf(await corrections.correct(target, before, after, 'patch', true))
    },
  )

  app.post<{ Querystring: Query; Body: RowBody }>(
    '/api/analyzer/suggest',
    {
      ...skipSerializer,
      schema: {
        summary: 'Ids that a row may have',
        querystring,
        body: Type.Object(Row, { additionalProperties: true }),
        response: { 200: SuggestAnswer },
      },
    },
    async ({ query, body }) => {
      const target = await targetOf(body)
      const item = await corrections.rowOf(target)
      return { ok: true, ...(await suggest(ctx, { key: target.key, item }, await related(query, target))) }
    },
  )

  app.post<{
    Querystring: Query
    Body: RowBody & {
      type: string
      dry_run?: boolean
      across_persons?: boolean
      changes?: readonly string[]
      [field: string]: unknown
    }
  }>(
    '/api/analyzer/fix',
    {
      ...skipSerializer,
      schema: {
        summary: 'Fix a problem',
        querystring,
        body: Type.Object(
          {
            ...Row,
            type: Name,
            dry_run: Type.Boolean({ default: false, description: 'Only say what would change.' }),
            across_persons: AcrossPersons,
            item: Type.Optional(
              Type.Unknown({
                description: 'The ids that the problem was shown with: the fix is refused if they changed since.',
              }),
            ),
            changes: Type.Optional(
              Type.Array(Type.String({ maxLength: 5_000 }), {
                maxItems: 1_000,
                description: 'The value from `dry_run`. The fix is rejected if it would now change something else.',
              }),
            ),
          },
          { additionalProperties: true },
        ),
        response: { 200: ChangeAnswer },
      },
    },
    async ({ query, body }) => {
      const target = await targetOf(body)
      const before = await corrections.rowOf(target)
      const { provider: _provider, feature: _feature, key: _key, type, ...rest } = body
      const { dry_run: dryRun, across_persons: isMeant, item: shown, changes: confirmed, ...fields } = rest
      if (shown !== undefined && !isSameIdentity(shown, before))
        throw new PlayheadError('PLH_CONFLICT', 'The item has changed since the problem was shown. Check it again.', {
          wire: 'changed_since',
        })
      const plan = await runner.fix(readPairs(query.pairs), { ...target, type, item: before, fields })
      if (plan === null)
        throw new PlayheadError('PLH_INVALID', `Nothing fixes "${type.slice(0, 80)}".`, { wire: 'unsupported_fix' })
      // New information may reverse the change that the person confirmed.
      if (confirmed !== undefined && JSON.stringify(confirmed) !== JSON.stringify(plan.changes))
        throw new PlayheadError('PLH_CONFLICT', 'The fix would change something else now. Check it again.', {
          wire: 'changed_since',
        })
      // A value of one account is written to the other.
      if (dryRun !== true && plan.plan !== undefined)
        assertOnePerson(
          await householdOf(ctx),
          [[target, plan.plan, ...(plan.from === undefined ? [] : [plan.from])]],
          isMeant,
        )
      return performed(target, before, plan, dryRun === true)
    },
  )

  async function performed(target: Target, before: Item, { changes: lines, correct, plan }: FixPlan, dryRun: boolean) {
    if (dryRun)
      return { ok: true, dry_run: true, changes: lines, plan: plan ?? null, new_key: target.key, change_id: null }
    if (plan !== undefined) {
      const own: Target = {
        provider: plan.provider,
        instance: plan.instance,
        feature: plan.feature,
        key: plan.changes[0]?.key ?? target.key,
      }
      const change = await corrections.carryOut(own, before, plan.changes)
      return { ok: true, changes: lines, new_key: target.key, change_id: change.change_id }
    }
    if (correct === undefined) return { ok: true, changes: lines, new_key: target.key, change_id: null }
    return { ...answerOf(await corrections.correct(target, before, correct, 'fix', true)), changes: lines }
  }

  app.delete<{ Querystring: Query; Body: RowBody }>(
    '/api/analyzer/item',
    {
      ...skipSerializer,
      schema: {
        summary: 'Remove a row from what is known of an account',
        description:
          'Rows of the tracker are removed for good, see the undo. Of other accounts, what they still have is back with the next read.',
        querystring,
        body: Type.Object(Row),
        response: { 200: DeleteAnswer },
      },
    },
    async ({ body }) => {
      const { change_id } = await corrections.remove(await targetOf(body))
      return { ok: true, change_id }
    },
  )

  app.get(
    '/api/analyzer/changes',
    { ...skipSerializer, schema: { summary: 'Corrections, newest first', response: { 200: ChangesAnswer } } },
    async () => ({ ok: true, changes: await changes.list() }),
  )

  app.post<{ Params: { id: string } }>(
    '/api/analyzer/changes/:id/undo',
    {
      ...skipSerializer,
      schema: {
        summary: 'Undo a correction',
        params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }) }),
        response: { 200: UndoAnswer },
      },
    },
    async ({ params }) => {
      const { change_id, runId, notUndone, left } = await corrections.undo(params.id)
      const reasons = labelledReasons(notUndone)
      const state = reasons.length === 0 ? 'undone' : 'partly'
      return { ok: true, change_id, state, run_id: runId, not_undone: reasons, left_to_undo: left }
    },
  )

  const ExclusionBody = Type.Object(
    { type: Name, provider: Type.Optional(Name), feature: Type.Optional(Name), key: Type.Optional(Key) },
    { additionalProperties: false },
  )
  app.get(
    '/api/analyzer/exclusions',
    { ...skipSerializer, schema: { summary: 'Problems that are hidden', response: { 200: ExclusionsAnswer } } },
    async () => ({ ok: true, exclusions: await exclusions.list() }),
  )
  app.post<{ Body: Exclusion }>(
    '/api/analyzer/exclusions',
    {
      ...skipSerializer,
      schema: {
        summary: 'Hide problems: of a type, an account, a feature, or one item',
        body: ExclusionBody,
        response: { 200: ExclusionsAnswer },
      },
    },
    async ({ body }) => ({ ok: true, exclusions: await exclusions.add(body) }),
  )
  app.delete<{ Body: Exclusion }>(
    '/api/analyzer/exclusions',
    {
      ...skipSerializer,
      schema: { summary: 'Show hidden problems again', body: ExclusionBody, response: { 200: ExclusionsAnswer } },
    },
    async ({ body }) => {
      if (!(await exclusions.remove(body))) throw notFound('exclusion_not_found', 'This exclusion does not exist.')
      return { ok: true, exclusions: await exclusions.list() }
    },
  )
}

function answerOf({ change, newKey, conflictKey }: Awaited<ReturnType<Parts['corrections']['correct']>>) {
  return {
    ok: true,
    new_key: newKey,
    change_id: change?.change_id ?? null,
    ...defined({ conflict_key: conflictKey ?? undefined }),
  }
}

function isSameIdentity(shown: unknown, { ids, show_ids: showIds = {} }: Item): boolean {
  if (typeof shown !== 'object' || shown === null) return false
  const given = shown as { ids?: unknown; show_ids?: unknown }
  const same = (one: unknown, other: object) => one === undefined || text(one) === text(other)
  return same(given.ids, ids) && same(given.show_ids, showIds)
}

function text(ids: unknown): string {
  return typeof ids === 'object' && ids !== null ? JSON.stringify(Object.entries(ids).sort()) : ''
}
