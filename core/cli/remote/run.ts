// `run`: starts a run of a service, follows it, and shows removals that wait for a review.
import { isApiError, type Answer, type Body, type Client } from '@playhead/sdk/client'
import { CliError, type Command } from '../command.ts'
import { connect, CONNECTION_HELP, CONNECTION_OPTIONS, CONNECTION_USAGE, EXIT } from './connect.ts'
import { followRun } from './follow-run.ts'
import { count, createOutput, type Output } from './output.ts'
import { defined, itemsThatNeedYou, needYou } from '@playhead/sdk/host'

type RunStatus = Answer<'GET /api/runs/{run_id}'>['run']['sync_status']
type Held = Answer<'GET /api/held'>['held'][number]
const SHOWN_REMOVALS = 20
/** For runs without a status, such as an undo. */
const WORK_RESULTS: Readonly<Record<string, string>> = {
  ok: 'Done',
  partial: 'Partly done',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

export const run: Command = {
  name: 'run',
  summary: 'syncs the pairs of a running service, or one of them',
  usage: `[--pair <id or name>] [--dry-run] [--approve <plan>] [--detach] ${CONNECTION_USAGE}`,
  options: {
    ...CONNECTION_OPTIONS,
    ...{ pair: { type: 'string' }, approve: { type: 'string' } },
    ...{ 'dry-run': { type: 'boolean' }, detach: { type: 'boolean' } },
  },
  usageCode: EXIT.usage,
  help: `
  --pair        only this pair
  --dry-run     plans, and changes nothing
  --approve     carries out what this plan holds: removals that you reviewed
  --detach      starts the run and does not wait for its end
${CONNECTION_HELP}

Removals that look like a mistake are held. On a terminal they are shown, and you decide; otherwise the exit code is 3, and
the output has the command that approves them. The first Ctrl+C asks the run to stop, the second leaves it alone.
A token needs the scope "run"; "write" to approve removals.

Examples:
  npm run playhead -- run --url http://127.0.0.1:8787 --token-file token.txt
  npm run playhead -- run --pair "Living room" --dry-run --url https://playhead.example.org`,
  async run(cli, given) {
    const client = await connect(cli, given)
    const output = createOutput(cli, given)
    const { pair, approve, detach, 'dry-run': dryRun } = given.options
    if (approve !== undefined && (pair !== undefined || dryRun === true))
      throw new CliError('--approve runs one plan; it goes with neither --pair nor --dry-run')
    const pairId = typeof pair === 'string' ? await findPair(client, pair) : undefined
    const body: Body<'POST /api/run'> = {
      source: 'cli',
      ...defined({ pair_id: pairId }),
      ...(dryRun === true ? { dry_run: true } : {}),
      ...(typeof approve === 'string' ? { plan_id: approve, allow_mass_delete: true } : {}),
    }
    const code = await start(client, output, body, detach === true)
    if (code !== EXIT.review || output.isJson || cli.ask === undefined) return code
    for (const one of await heldOf(client, pairId)) {
      await show(client, output, one)
      if (one.plan_id === null) continue
      const answer = await cli.ask(`Remove ${one.count} from ${one.provider} (${one.instance})? [y/N] `)
      if (!/^y(es)?$/i.test(answer.trim())) {
        output.line('Nothing was removed; it stays held.')
        continue
      }
      const approved = await start(
        client,
        output,
        { source: 'cli', plan_id: one.plan_id, allow_mass_delete: true },
        false,
      )
      if (approved !== EXIT.done && approved !== EXIT.review) return approved
    }
    return (await heldOf(client, pairId)).length === 0 ? EXIT.done : EXIT.review
  },
}

async function start(client: Client, output: Output, body: Body<'POST /api/run'>, detach: boolean): Promise<number> {
  const started = await client.call('POST /api/run', { body })
  const { run_id: runId, skipped } = started
  if (started.status === 'skipped' || runId === undefined) {
    output.line(`Nothing began: ${skipped ?? 'there is nothing to run'}.`)
    output.json(started)
    return EXIT.skipped
  }
  if (detach) {
    output.line(`Run ${runId} has begun.`)
    output.json(started)
    return EXIT.done
  }
  output.line(`Run ${runId}`)
  const end = await followRun(client, runId, output)
  if (end === undefined) {
    output.line(`Run ${runId} goes on without you, until it has stopped. See: playhead status`)
    return EXIT.cancelled
  }
  const detail = await detailOf(client, runId)
  output.json(detail ?? end)
  const held = end.held ?? 0
  const planned = (end.pairs ?? []).flatMap(({ features }) => features).reduce((sum, one) => sum + one.planned, 0)
  output.line(
    body.dry_run === true ? `Planned: ${count(planned, 'change')}` : resultLine(end, detail?.run.sync_status ?? null),
  )
  if (end.reason !== undefined && end.reason !== '' && end.result !== 'ok') output.line(end.reason)
  if (held > 0) {
    output.line(`${count(held, 'removal waits', 'removals wait')} for your review.`)
    for (const one of (await heldOf(client, body.pair_id ?? undefined)).filter(({ plan_id: plan }) => plan !== null))
      output.line(
        `  ${one.pair_name}, ${one.feature}: ${one.count} held (${one.reason_label}). Approve with: --approve ${one.plan_id}`,
      )
  }
  if (end.result === 'failed') return EXIT.failed
  if (end.result === 'cancelled') return EXIT.cancelled
  if (held > 0) return EXIT.review
  if (end.result === 'skipped') return EXIT.skipped
  return end.result === 'partial' ? EXIT.partial : EXIT.done
}

/** @param status null for runs that sync nothing */
export function resultLine(end: Answer<'GET /api/run/summary'>, status: RunStatus): string {
  const [open, errors] = [itemsThatNeedYou(end), end.errors ?? 0]
  const changes = [
    count(end.added_last ?? 0, 'added', 'added'),
    count(end.updated_last ?? 0, 'updated', 'updated'),
    count(end.removed_last ?? 0, 'removed', 'removed'),
    ...(open > 0 && status?.state !== 'need_you' ? [needYou(open)] : []),
    ...(errors > 0 ? [count(errors, 'error')] : []),
  ]
  return `${status?.text ?? WORK_RESULTS[end.result ?? ''] ?? 'Ended'}: ${changes.join(', ')}`
}

async function detailOf(client: Client, runId: string) {
  try {
    return await client.call('GET /api/runs/{run_id}', { params: { run_id: runId } })
  } catch (error) {
    if (isApiError(error, 404)) return undefined
    throw error
  }
}

async function heldOf(client: Client, pairId: string | undefined): Promise<readonly Held[]> {
  const { held } = await client.call('GET /api/held')
  return held.filter((one) => pairId === undefined || one.pair_id === pairId)
}

/** Summarizes a plan for the person who decides. */
async function show(client: Client, output: Output, held: Held): Promise<void> {
  output.line('')
  output.line(
    `${held.pair_name}, ${held.feature}: ${held.count} removals from ${held.provider} (${held.instance}) are held.`,
  )
  output.line(`  ${held.reason_label}`)
  if (held.plan_id === null) return
  const { items, total } = await client.call('GET /api/run/plan/{plan_id}', {
    params: { plan_id: held.plan_id },
    query: { side: held.side, op: 'remove', state: 'held', limit: SHOWN_REMOVALS },
  })
  for (const { display_title: title, year } of items) output.line(`  - ${title}${year === null ? '' : ` (${year})`}`)
  if (total > items.length) output.line(`  … and ${total - items.length} more`)
}

async function findPair(client: Client, named: string): Promise<string> {
  const { pairs } = await client.call('GET /api/pairs/status')
  const found = pairs.filter(({ id, name }) => id === named || name.toLowerCase() === named.toLowerCase())
  const [one] = found
  if (one !== undefined && found.length === 1) return one.id
  const names = pairs.map(({ name, id }) => `"${name || id}"`).join(', ')
  throw new CliError(
    found.length > 1
      ? `several pairs are named "${named}"; use the id`
      : `there is no pair "${named}". ${names === '' ? 'There is none at all.' : `There are: ${names}`}`,
  )
}
