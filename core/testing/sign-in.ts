// External sign-in of the test host: stores a link and checks accounts; sessions exist only in its responses.
import type { FastifyRequest } from 'fastify'
import { PlayheadError, type ProvenPerson, type ExternalSignIn, type SignInLink } from '@playhead/sdk'

const SESSION_MS = 86_400_000
const NOBODY: ProvenPerson = { accountId: '', username: '', email: '', thumb: '' }

export function createTestSignIn(now: () => number): ExternalSignIn {
  let person = NOBODY
  let enabled = false
  let linkedAtMs = 0
  const link = (): SignInLink => {
    const linked = person.accountId !== ''
    return { ...person, linkedAtMs, enabled, linked, available: enabled && linked, authentication: 'enabled' }
  }

  return {
    link,
    clientId: async () => 'svc-00000000000000000000',
    addressOf: ({ caller }, path) => `${caller.secure ? 'https' : 'http'}://${caller.host}${path}`,
    async signIn(_request, reply, { accountId }) {
      if (!link().available) throw new PlayheadError('PLH_INVALID', 'No account is linked yet.', { wire: 'not_linked' })
      if (accountId !== person.accountId) {
        throw new PlayheadError('PLH_AUTH_FAILED', 'This account is not linked.', {
          status: 403,
          wire: 'account_not_linked',
        })
      }
      void reply.header('set-cookie', 'cw_auth=test; Path=/; HttpOnly; SameSite=Lax')
      return { username: 'tester', expiresAtMs: now() + SESSION_MS }
    },
    async saveLink(request, proven) {
      assertSignedIn(request)
      ;[person, enabled, linkedAtMs] = [{ ...proven }, true, now()]
      return link()
    },
    async removeLink(request) {
      assertSignedIn(request)
      ;[person, linkedAtMs] = [NOBODY, 0]
      return link()
    },
  }
}

function assertSignedIn({ caller }: FastifyRequest): void {
  if (caller.session === null) throw new PlayheadError('PLH_AUTH_FAILED', 'Sign in first.', { wire: 'Unauthorized' })
}
