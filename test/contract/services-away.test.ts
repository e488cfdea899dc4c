// slow: every route, in the whole service
// Every service fails in one way after the other: each operation answers as described, and none reports a failure of Playhead.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { startDescribedService } from '../demo/described-service.ts'
import { CALLS, LAST_CALLS } from '../demo/example-calls.ts'
import { checkAnswer, takeWrongAnswers } from '../../core/testing/answers.ts'
import type { Fault } from '../upstreams/base/index.ts'

t.setTimeout(900_000)

const TROUBLES: Readonly<Record<string, Fault>> = {
  'they fail': { kind: 'status', status: 500 },
  'they refuse the sign-in': { kind: 'status', status: 401 },
  'they forbid it': { kind: 'status', status: 403 },
  'they know nothing': { kind: 'status', status: 404 },
  'a proxy answers': { kind: 'html', status: 200 },
  'they say nothing': { kind: 'empty' },
}

const covered = new Set([...CALLS, ...LAST_CALLS].map(({ name }) => name))

for (const [what, fault] of Object.entries(TROUBLES))
  t.test(what, async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'playhead-away-'))
    t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
    await using service = await startDescribedService(directory, { onAnswer: checkAnswer, logTo: () => {} })
    t.same(takeWrongAnswers(), [])
    for (const server of service.world.servers) server.faults.add(fault)
    const failures: string[] = []
    for (const call of [...CALLS, ...service.parameterless.filter(({ name }) => !covered.has(name)), ...LAST_CALLS]) {
      const { name, status, body } = await service.play(call)
      if (status >= 500 && ![502, 503, 504].includes(status)) failures.push(`${name} ${status} ${JSON.stringify(body)}`)
    }
    t.same(failures, [])
    t.same([...new Set(takeWrongAnswers())], [])
  })
