// API keys as people enter them: what is wrong with one, seen before it is sent anywhere.

/** undefined: it has the form of a key. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'api_key_required'
  if (/^bearer\s/i.test(key)) return 'bearer_prefix'
  if (/^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(key)) return 'v4_token_given'
  return /^[0-9a-f]{32}$/i.test(key) ? undefined : 'invalid_format'
}
