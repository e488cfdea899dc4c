// Failures of a service in responses of sign-in routes.
import t from 'tap'
import { MASK, PlayheadError, type PlayheadErrorCode, type PlayheadErrorOptions } from '@playhead/sdk'
import { keyCode, sendRefusal, startCode, enteredFields } from '@playhead/sdk/provider'
import { acmePlugin, startAcme } from './support.ts'

const error = (code: PlayheadErrorCode, options: PlayheadErrorOptions = {}) =>
  new PlayheadError(code, 'a text with the-secret', options)
const status = (number: number) => ({ details: { status: number } })

async function answered(thrown: unknown) {
  await using acme = await startAcme(
    acmePlugin({
      change: {
        routes(app) {
          app.get('/api/acme/instance', (_request, reply) =>
            sendRefusal(reply, thrown, (refusal) => ({ error: keyCode(refusal), instance: 'default' })),
          )
        },
      },
    }),
  )
  const answer = await acme.host.inject('/api/acme/instance')
  return { status: answer.statusCode, body: answer.json() as unknown }
}

t.test('a refusal is a response with a code and never the words of the service', async (t) => {
  t.strictSame(await answered(error('PLH_AUTH_FAILED')), {
    status: 200,
    body: { ok: false, error: 'invalid_api_key', instance: 'default' },
  })
})

t.test('a rate limit is passed on with the seconds to wait', async (t) => {
  t.strictSame(await answered(error('PLH_RATE_LIMITED', { retryAfterMs: 1_500 })), {
    status: 429,
    body: { ok: false, error: 'rate_limited', instance: 'default', retry_after: 2 },
  })
})

t.test('an unexpected error is no refusal', (t) => {
  t.throws(() => sendRefusal(undefined as never, new TypeError('a bug'), () => ({})), TypeError)
  t.throws(() => keyCode(error('PLH_CONFLICT')), { code: 'PLH_CONFLICT' })
  t.throws(() => startCode(error('PLH_CONFLICT')), { code: 'PLH_CONFLICT' })
  t.end()
})

t.test('a rejected key and a service with invalid responses have different errors', (t) => {
  for (const [given, code] of [
    [error('PLH_FORBIDDEN'), 'invalid_api_key'],
    [error('PLH_UPSTREAM', status(403)), 'invalid_api_key'],
    [error('PLH_UPSTREAM', status(502)), 'validation_http_502'],
    [error('PLH_UPSTREAM'), 'validation_failed'],
    [error('PLH_NOT_FOUND', status(404)), 'validation_http_404'],
    [error('PLH_UPSTREAM_TIMEOUT'), 'validation_timeout'],
    [error('PLH_UPSTREAM_INVALID'), 'validation_bad_response'],
    [error('PLH_HOST_DENIED'), 'validation_failed'],
  ] as const)
    t.equal(keyCode(given), code)
  t.end()
})

t.test('a sign-in that could not be started states whether the service answered', (t) => {
  for (const [given, code] of [
    [error('PLH_UPSTREAM', status(500)), { error: 'http_error', status: 500 }],
    [error('PLH_UPSTREAM'), { error: 'network_error' }],
    [error('PLH_AUTH_FAILED', status(401)), { error: 'http_error', status: 401 }],
    [error('PLH_FORBIDDEN'), { error: 'http_error', status: 403 }],
    [error('PLH_NOT_FOUND'), { error: 'http_error', status: 404 }],
    [error('PLH_UPSTREAM_TIMEOUT'), { error: 'network_error' }],
    [error('PLH_HOST_DENIED'), { error: 'network_error' }],
    [error('PLH_UPSTREAM_INVALID'), { error: 'invalid_response' }],
    [error('PLH_RATE_LIMITED'), { error: 'rate_limited' }],
  ] as const)
    t.strictSame(startCode(given), code)
  t.end()
})

t.test('typed fields are trimmed; masked and empty fields mean the stored value', (t) => {
  t.same(
    enteredFields({ id: ' 7 ', key: MASK, name: '  ', more: 'x', number: 3 }, [
      'id',
      'key',
      'name',
      'number',
      'missing',
    ]),
    { id: '7' },
  )
  t.same(enteredFields(undefined, ['id']), {})
  t.same(enteredFields(null, ['id']), {})
  t.end()
})
