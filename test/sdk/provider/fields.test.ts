// Settings that profiles of many providers have.
import t from 'tap'
import { Type } from '@playhead/sdk'
import { secretField, TOKEN_FIELDS, tokenFields, trimAddress } from '@playhead/sdk/provider'
import { Value } from '@sinclair/typebox/value'

t.test('the tokens of a sign-in are bound to the addresses that get them, and no form shows them', (t) => {
  const fields = tokenFields({ access: 'api_url', refresh: 'oauth_url' })
  t.strictSame(Object.keys(fields), TOKEN_FIELDS)
  t.match(fields.access_token, { secret: true, boundTo: 'api_url' })
  t.match(fields.refresh_token, { secret: true, boundTo: 'oauth_url' })
  for (const field of Object.values(fields)) t.equal(field.readOnly, true)
  t.strictSame(Value.Create(Type.Object(fields)), {
    access_token: '',
    refresh_token: '',
    expires_at: 0,
    token_client_id: '',
    token_mark: '',
  })
  t.end()
})

t.test('a secret takes further options, and an address loses what people type around it', (t) => {
  t.match(secretField('server', 'A key.', { maxLength: 9, inherit: true }), {
    secret: true,
    boundTo: 'server',
    maxLength: 9,
    inherit: true,
  })
  t.strictSame(
    [' https://a.example/b// ', '/', ''].map((text) => trimAddress(text, 'https://other.example')),
    ['https://a.example/b', 'https://other.example', 'https://other.example'],
  )
  t.equal(trimAddress(' '), '')
  t.end()
})
