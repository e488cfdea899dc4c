// `pairs`: lists the pairs of a service with their status.
import type { Command } from '../command.ts'
import { connect, CONNECTION_HELP, CONNECTION_OPTIONS, CONNECTION_USAGE, EXIT } from './connect.ts'
import { createOutput, table, when } from './output.ts'

export const pairs: Command = {
  name: 'pairs',
  summary: 'lists the pairs of a running service',
  usage: CONNECTION_USAGE,
  options: CONNECTION_OPTIONS,
  usageCode: EXIT.usage,
  help: `${CONNECTION_HELP}

A token needs the scope "read".

Example:
  npm run playhead -- pairs --url http://127.0.0.1:8787 --token-file token.txt`,
  async run(cli, given) {
    const client = await connect(cli, given)
    const output = createOutput(cli, given)
    const answer = await client.call('GET /api/pairs/status')
    output.json(answer)
    if (answer.pairs.length === 0) output.line('No pairs yet.')
    else
      for (const row of table([
        ['ID', 'NAME', 'SOURCE', 'TARGET', 'MODE', 'STATE', 'LAST RUN'],
        ...answer.pairs.map((pair) => [
          pair.id,
          pair.name,
          `${pair.source} ${pair.source_instance}`,
          `${pair.target} ${pair.target_instance}`,
          pair.mode,
          pair.sync_status.text,
          when(pair.last_finished_at),
        ]),
      ]))
        output.line(row)
    return EXIT.done
  },
}
