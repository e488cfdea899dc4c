// Validates values by walking the JSON schema. The default validator generates code at run time, which the CSP
// forbids.
import { Validator, type OutputUnit, type Schema } from '@cfworker/json-schema'
import {
  createErrorHandler,
  toErrorList,
  toErrorSchema,
  unwrapErrorHandler,
  validationDataMerge,
  type RJSFSchema,
  type RJSFValidationError,
  type ValidatorType,
} from '@rjsf/utils'
import { parts } from '../../texts/en/parts.ts'
import { say } from '../../texts/say.ts'

// These errors only repeat the errors below them.
const SUMMARIES = new Set(['properties', 'items', 'allOf', '$ref', 'additionalProperties', 'prefixItems'])

const validator: ValidatorType<unknown, RJSFSchema> = {
  isValid(schema, formData, rootSchema) {
    try {
      return (
        check({ definitions: rootSchema?.definitions, $defs: rootSchema?.['$defs'], ...schema }, formData).length === 0
      )
    } catch {
      return false
    }
  },
  rawValidation: (schema, formData) => ({ errors: check(schema, formData) as never[] }),
  validateFormData(formData, schema, customValidate, transformErrors, uiSchema) {
    const found = check(schema, formData).map(toError)
    const errors = transformErrors === undefined ? found : transformErrors(found, uiSchema)
    const data = { errors, errorSchema: toErrorSchema(errors) }
    if (customValidate === undefined) return data
    const handler = customValidate(formData, createErrorHandler(formData), uiSchema)
    const own = unwrapErrorHandler(handler)
    return validationDataMerge({ errors: [...errors, ...toErrorList(own)], errorSchema: data.errorSchema }, own)
  },
}

export default validator

function check(schema: object, value: unknown): OutputUnit[] {
  // Drops undefined values: the validator expects plain JSON.
  const plain = value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown)
  if (plain === undefined) return []
  return new Validator(schema as Schema, '2020-12', false)
    .validate(plain)
    .errors.filter(({ keyword }) => !SUMMARIES.has(keyword))
}

function toError({ instanceLocation, keyword, error }: OutputUnit): RJSFValidationError {
  const missing = keyword === 'required' ? /"([^"]+)"/.exec(error)?.[1] : undefined
  const path = instanceLocation
    .slice(1)
    .split('/')
    .filter(Boolean)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
  const property = `.${[...path, ...(missing === undefined ? [] : [missing])].join('.')}`
  // The list is empty.
  const isEmpty = keyword === 'minItems' && error.includes('(0 <')
  const message = missing === undefined && !isEmpty ? say(parts.form.invalid, { message: error }) : parts.form.required
  return { name: keyword, property, message, stack: message }
}
