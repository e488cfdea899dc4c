// slow: the whole service, or very many cases
// A server that accepts requests and never answers, while settings are saved and caches are cleared: the status requests of
// people meanwhile.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { startService } from '../../harness.ts'

t.setTimeout(900_000)

/** More than the eight-second timeout, less than two timeouts in sequence. */
const GIVEN_UP_MS = 13_000
const LOOKS = [
  '/api/status',
  '/api/status?fresh=1',
  '/api/connections',
  '/api/connections?fresh=1',
  '/api/attention',
  '/api/system/health',
]

t.test(
  'status, connections, attention and health answer within their limit, however often caches are cleared',
  async (t) => {
    const open = new Set<object>()
    let asked = 0
    let most = 0
    const silent = createServer((_request, response) => {
      asked += 1
      open.add(response)
      most = Math.max(most, open.size)
      response.on('close', () => open.delete(response))
    }).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    t.teardown(() => silent.closeAllConnections())
    t.teardown(() => silent.close())
    await using service = await startService({
      shipped: true,
      watch: false,
      environment: { PLAYHEAD_LOG_LEVEL: 'error' },
    })
    const server = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    await service.json('/api/config', {
      json: { mediaB: { server, access_token: 'x'.repeat(32), user_id: 'u', user: 'ada' } },
    })

    const looking = new Set<Promise<unknown>>()
    const answered: string[] = []
    const look = (path: string) => {
      const one = service
        .json(path, { signal: AbortSignal.timeout(GIVEN_UP_MS) })
        .then(
          ({ status, body }) => {
            t.equal(status, 200, path)
            if (path === '/api/status') t.match(body.providers.MEDIAB, { connected: false, reason_code: 'timeout' })
            answered.push(path)
          },
          (error: unknown) => t.fail(`${path}: ${String(error)}`),
        )
        .finally(() => looking.delete(one))
      looking.add(one)
    }
    // Continues while the first reads last, so that each computation is outdated many times, and a request follows each.
    while (!LOOKS.every((path) => answered.includes(path)) && t.passing()) {
      if (answered.length === 0 && looking.size < LOOKS.length * 6) for (const path of LOOKS) look(path)
      await service.json('/api/debug/clear_probe_cache', { method: 'POST' })
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    await Promise.all(looking)
    t.ok(asked > 1)
    t.ok(most <= 2, `one question to the server at a time, and one that is being cancelled: ${most} of ${asked}`)
    const { body } = await service.json('/api/plugins')
    t.same(
      body.plugins.filter(({ last_error: error }: { last_error: unknown }) => error !== null && error !== undefined),
      [],
      'no plugin was at fault',
    )
  },
)
