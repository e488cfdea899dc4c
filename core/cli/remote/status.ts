// `status`: the last run, the next one, and what needs attention.
import type { Command } from '../command.ts'
import { connect, CONNECTION_HELP, CONNECTION_OPTIONS, CONNECTION_USAGE, EXIT } from './connect.ts'
import { createOutput, when } from './output.ts'

export const status: Command = {
  name: 'status',
  summary: 'shows how a running service is',
  usage: CONNECTION_USAGE,
  options: CONNECTION_OPTIONS,
  usageCode: EXIT.usage,
  help: `${CONNECTION_HELP}

For monitoring: 1 also means that the last run failed. A token needs the scope "read".

Example:
  npm run playhead -- status --url http://127.0.0.1:8787 --token-file token.txt`,
  async run(cli, given) {
    const client = await connect(cli, given)
    const output = createOutput(cli, given)
    const [overview, last, next, attention, held] = await Promise.all([
      client.call('GET /api/overview'),
      client.call('GET /api/run/summary'),
      client.call('GET /api/scheduling/next'),
      client.call('GET /api/attention'),
      client.call('GET /api/held'),
    ])
    output.json({ overview, last_run: last, next_run_at: next.next_run_at || null, attention, held })
    output.line(`${overview.status.text}.`)
    if (last.running === true) output.line(`A run is on since ${when(last.started_at)}.`)
    else if (last.run_id === undefined) output.line('There was no run yet.')
    else
      output.line(
        `Last run: ${overview.runs.find(({ run_id: id }) => id === last.run_id)?.status.text ?? last.result}, ${when(last.finished_at)}.`,
      )
    output.line(next.next_run_at > 0 ? `Next run: ${when(next.next_run_at)}.` : 'No run is scheduled.')
    if (held.total > 0) output.line(`Removals that wait for your review: ${held.total}.`)
    for (const { title, detail } of attention.items) output.line(`! ${title}${detail === '' ? '' : `: ${detail}`}`)
    if (last.running !== true && last.result === 'failed') return EXIT.failed
    return held.total > 0 ? EXIT.review : EXIT.done
  },
}
