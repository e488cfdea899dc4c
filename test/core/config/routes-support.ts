// The configuration routes behind the common prelude.
import { join } from 'node:path'
import fastify from 'fastify'
import type { Test } from 'tap'
import type { CallerSession } from '@playhead/sdk'
import { createPlainBackup } from '../../../core/config/backup.ts'
import { checkAnswer } from '../../../core/testing/answers.ts'
import type { ConfigContribution } from '../../../core/config/contract.ts'
import type { AuthState } from '../../../core/config/routes/meta.ts'
import { configRoutes, type ConfigRoutesDependencies } from '../../../core/config/routes/routes.ts'
import type { GateRequest } from '../../../core/http/access/access.ts'
import { prelude } from '../../../core/http/prelude.ts'
import { createCompilers } from '../../../core/http/validation.ts'
import { openConfig, VERSION } from './support.ts'

export interface RouteOptions extends Partial<ConfigRoutesDependencies> {
  readonly contributions?: readonly ConfigContribution[]
  readonly directory?: string
}

export async function openRoutes(t: Test, { contributions = [], directory, ...deps }: RouteOptions = {}) {
  const opened = await openConfig(t, directory === undefined ? {} : { directory })
  opened.config.setContributions(contributions)
  let session: CallerSession | null = { id: '1', username: 'ada' }
  let auth: AuthState = { state: 'enabled', configured: true, resetRequired: false }
  const app = fastify({ logger: false })
  await app.register(prelude, {
    gate: {
      decide: ({ remoteAddress }: GateRequest) => ({
        pass: true,
        caller: { address: remoteAddress, secure: false, host: 'localhost', session },
      }),
    },
    compilers: createCompilers(),
    log: opened.log,
    redact: (text: string) => text,
    headersFor: () => ({}),
    onAnswer: checkAnswer,
  })
  await app.register(
    configRoutes({
      config: opened.config,
      version: VERSION,
      log: opened.log,
      authState: () => auth,
      runningOperations: async () => [],
      backup: createPlainBackup({ file: opened.file, folder: join(opened.directory, 'backups'), clock: opened.clock }),
      ...deps,
    }),
  )
  await app.ready()
  t.teardown(() => app.close())

  return {
    ...opened,
    app,
    signIn: (next: CallerSession | null) => {
      session = next
    },
    setAuth: (next: AuthState) => {
      auth = next
    },
    async call(method: 'GET' | 'POST', url: string, body?: unknown, headers: Record<string, string> = {}) {
      const answer = await app.inject({
        method,
        url,
        headers,
        ...(body === undefined ? {} : { payload: body as object }),
      })
      return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(answer.payload) as any }
    },
  }
}
