// Checks every JSON response of a route against the schema that the route publishes, and every refusal against the
// described reasons, in all tests: the test host and the service of the tests pass their responses to `checkAnswer`. A
// test file with a wrong response fails.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { ERROR_SCHEMAS } from '../http/openapi/error-answers.ts'
import { plainSchema } from '../http/openapi/vocabulary.ts'
import type { Answer } from '../http/prelude.ts'
import { undescribed } from './described.ts'

// Longer responses are checked by their own tests.
const MAX_LENGTH = 2_000_000

const ajv = new Ajv2020({ strict: false, validateSchema: false, addUsedSchema: false, code: { optimize: false } })
ajvFormats.default(ajv)
const bySchema = new WeakMap<object, ValidateFunction>()
const byText = new Map<string, ValidateFunction>()
const wrong: string[] = []

export function checkAnswer({ request, status, body }: Answer): void {
  const { method, url, schema } = request.routeOptions
  if (url === undefined || body.length > MAX_LENGTH) return
  const value: unknown = JSON.parse(body)
  const lacking = undescribed(request, status, value)
  if (lacking !== undefined) wrong.push(lacking)
  const published = publishedFor(schema?.response as Readonly<Record<string, object>> | undefined, status)
  if (published === undefined) return
  const validate = bySchema.getOrInsertComputed(published, compiled)
  if (validate(value)) return
  const problem = (validate.errors ?? [])
    .slice(0, 3)
    .map(({ instancePath, message, params }) => `${instancePath || 'the answer'} ${message} ${JSON.stringify(params)}`)
  wrong.push(`${method} ${url} ${status} is not as published: ${problem.join('; ')} in ${body.slice(0, 500)}`)
}

/** Takes the wrong responses since the last call. */
export function takeWrongAnswers(): readonly string[] {
  return wrong.splice(0)
}

/** Throws if there were wrong responses. */
export function failForWrongAnswers(): void {
  const taken = takeWrongAnswers()
  if (taken.length > 0) throw new Error(taken.join('\n'))
}

process.on('exit', () => {
  if (wrong.length === 0) return
  process.exitCode = 1
  process.stderr.write(`${wrong.join('\n')}\n`)
})

function publishedFor(response: Readonly<Record<string, object>> | undefined, status: number): object | undefined {
  const own = response?.[status] ?? response?.[`${String(status)[0]}XX`] ?? response?.[`${String(status)[0]}xx`]
  if (own === undefined) return errorSchema(status)
  if (!('content' in own)) return own
  return (own.content as Readonly<Record<string, { readonly schema: object }>>)['application/json']?.schema
}

const ANY_ERROR = { anyOf: Object.values(ERROR_SCHEMAS) }

function errorSchema(status: number): object | undefined {
  if (status < 400) return undefined
  return status === 422 ? ANY_ERROR : ERROR_SCHEMAS.Error
}

function compiled(schema: object): ValidateFunction {
  const plain = plainSchema(schema) as object
  return byText.getOrInsertComputed(JSON.stringify(plain), () => ajv.compile(plain))
}
