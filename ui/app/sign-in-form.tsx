// The form to sign in, or to create the first account when the service has none.
import { useEffect, useState } from 'react'
import { Alert, Button, Checkbox, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { api } from '../api/client.ts'
import { ApiError, isApiError } from '../api/error.ts'
import { login } from '../texts/en/login.ts'
import { say } from '../texts/say.ts'
import type { SessionStatus } from './session-state.ts'
import { SsoButton } from './sso-button.tsx'

const MIN_PASSWORD_LENGTH = 8

interface SignInFormProps {
  readonly status: SessionStatus
  readonly hint?: string
  readonly username?: string
  readonly onSignedIn: () => void
}

export default function SignInForm({ status, hint, username = '', onSignedIn }: SignInFormProps) {
  const isSetup = status.setup_required
  const [needsToken, setNeedsToken] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [secondsLeft, startWaiting] = useCountdown()
  const form = useForm({
    initialValues: { username, password: '', repeated: '', token: '', remember: false },
    validate: {
      username: (value) => (value.trim() === '' ? login.problems.name : null),
      password: (value) =>
        value === ''
          ? login.problems.password
          : isSetup && value.length < MIN_PASSWORD_LENGTH
            ? say(login.problems.short, { n: MIN_PASSWORD_LENGTH })
            : null,
      repeated: (value, { password }) => (isSetup && value !== password ? login.problems.differ : null),
    },
  })

  async function submit(values: typeof form.values) {
    setProblem(null)
    setBusy(true)
    try {
      await (isSetup
        ? createAccount(values)
        : api('POST /api/app-auth/login', {
            body: { username: values.username, password: values.password, remember_me: values.remember },
          }))
      onSignedIn()
    } catch (error) {
      setBusy(false)
      show(error)
    }
  }

  function show(error: unknown) {
    if (isApiError(error, 429) && error.retryAfterMs !== null) return startWaiting(Math.ceil(error.retryAfterMs / 1000))
    if (!(error instanceof ApiError)) return setProblem(String(error))
    if (error.code.startsWith('setup_token_')) {
      setNeedsToken(true)
      return form.setFieldError('token', refusalText(error))
    }
    if (Object.keys(error.fields).length > 0) return form.setErrors(error.fields)
    setProblem(error.status === 401 ? login.problems.wrong : refusalText(error))
  }

  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
      <Stack>
        {(hint ?? (isSetup ? login.setupHint : undefined)) === undefined ? null : (
          <Text c="dimmed">{hint ?? login.setupHint}</Text>
        )}
        {status.reset_required ? <Alert color="yellow">{login.reset}</Alert> : null}
        <TextInput
          label={login.name}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          required
          withAsterisk={false}
          autoFocus={username === ''}
          data-autofocus={username === '' || undefined}
          {...form.getInputProps('username')}
        />
        <PasswordInput
          label={login.password}
          {...(isSetup ? { description: say(login.passwordRule, { n: MIN_PASSWORD_LENGTH }) } : {})}
          name="password"
          autoComplete={isSetup ? 'new-password' : 'current-password'}
          maxLength={1024}
          required
          withAsterisk={false}
          autoFocus={username !== ''}
          data-autofocus={username !== '' || undefined}
          {...form.getInputProps('password')}
        />
        {isSetup ? (
          <PasswordInput
            label={login.repeated}
            name="repeated"
            autoComplete="new-password"
            maxLength={1024}
            required
            withAsterisk={false}
            {...form.getInputProps('repeated')}
          />
        ) : null}
        {needsToken ? (
          <TextInput
            label={login.token}
            description={login.tokenHint}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...form.getInputProps('token')}
          />
        ) : null}
        <Checkbox label={login.remember} {...form.getInputProps('remember', { type: 'checkbox' })} />
        <div role="alert">
          {secondsLeft > 0 ? (
            <Alert color="yellow">{say(login.problems.wait, { n: secondsLeft })}</Alert>
          ) : problem === null ? null : (
            <Alert color="red">{problem}</Alert>
          )}
        </div>
        <Button type="submit" loading={isBusy} disabled={secondsLeft > 0}>
          {isSetup ? login.create : login.submit}
        </Button>
        {!isSetup && status.mediaA_sso_enabled ? (
          <>
            <Divider />
            <SsoButton remember={form.values.remember} onSignedIn={onSignedIn} />
          </>
        ) : null}
      </Stack>
    </form>
  )
}

function createAccount({
  username,
  password,
  token,
  remember,
}: {
  username: string
  password: string
  token: string
  remember: boolean
}) {
  return api('POST /api/app-auth/credentials', {
    body: {
      enabled: true,
      username,
      password,
      remember_session_enabled: remember,
      ...(token.trim() === '' ? {} : { setup_token: token.trim() }),
    },
  })
}

function refusalText(error: ApiError): string {
  return (login.refusals as Readonly<Record<string, string>>)[error.code] ?? error.message
}

/** Returns the remaining seconds and a function that starts the countdown. */
function useCountdown(): [secondsLeft: number, start: (seconds: number) => void] {
  const [endsAtMs, setEnd] = useState(0)
  const [nowMs, setNow] = useState(0)
  const secondsLeft = Math.max(0, Math.ceil((endsAtMs - nowMs) / 1000))
  useEffect(() => {
    if (endsAtMs === 0) return undefined
    const timer = setInterval(() => {
      setNow(Date.now())
      if (Date.now() >= endsAtMs) setEnd(0)
    }, 500)
    return () => clearInterval(timer)
  }, [endsAtMs])
  return [
    secondsLeft,
    (seconds) => {
      setNow(Date.now())
      setEnd(Date.now() + seconds * 1000)
    },
  ]
}
