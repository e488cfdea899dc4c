// The page of a sign-in link: a person without an account of Playhead signs in at one service. It has no navigation and reads
// nothing else. The token is in the part of the address that browsers keep to themselves.
import { Alert, Button, Center, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useEffect, useState, type ReactNode } from 'react'
import { api, type Answer } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { Brand } from '../../parts/page/brand.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { CodeToEnter } from '../../parts/sign-in/code.tsx'
import { exactTime } from '../../parts/values/time-text.tsx'
import { guest as texts } from '../../texts/en/guest.ts'
import { shell } from '../../texts/en/shell.ts'
import { say } from '../../texts/say.ts'

type View = Answer<'POST /api/guest/look'>
type SignIn = Answer<'POST /api/guest/start'>

type State =
  | { readonly phase: 'looking' }
  | { readonly phase: 'gone' }
  | { readonly phase: 'ready'; readonly view: View; readonly token: string }
  | { readonly phase: 'signing-in'; readonly signIn: SignIn }

const WAIT_MS = 5_000

export default function GuestPage() {
  const [state, setState] = useState<State>({ phase: 'looking' })
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const [isLost, setLost] = useState(false)
  const service =
    state.phase === 'ready' ? state.view.service : state.phase === 'signing-in' ? state.signIn.service : ''
  const title =
    state.phase === 'gone' ? texts.gone.title : service === '' ? shell.product : say(texts.title, { service })
  useDocumentTitle(`${title} · ${shell.product}`)

  useEffect(() => {
    function show(): void {
      setError(null)
      void look().then(setState, (failure: unknown) => {
        if (isInvalid(failure)) setState({ phase: 'gone' })
        else setError(failure)
      })
    }
    show()
    // Another link in the same tab: only the part after # differs, so the browser does not load the page again.
    addEventListener('hashchange', show)
    return () => removeEventListener('hashchange', show)
  }, [])

  const isPending = state.phase === 'signing-in' && state.signIn.status === 'pending'
  const interval = state.phase === 'signing-in' ? state.signIn.interval : 0
  useEffect(() => {
    if (!isPending) return undefined
    let timer = setTimeout(ask, interval * 1_000)
    let isOver = false
    function ask(): void {
      api('POST /api/guest/poll').then(
        (signIn) => {
          if (isOver) return
          setLost(false)
          setState({ phase: 'signing-in', signIn })
          timer = setTimeout(ask, signIn.interval * 1_000)
        },
        (failure: unknown) => {
          if (isOver) return
          if (isInvalid(failure)) return setState({ phase: 'gone' })
          setLost(true)
          timer = setTimeout(ask, WAIT_MS)
        },
      )
    }
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [isPending, interval])

  async function start(token?: string) {
    setBusy(true)
    setError(null)
    try {
      const signIn = await api('POST /api/guest/start', { body: token === undefined ? {} : { token } })
      // Neither the history nor a copied address keeps the token.
      history.replaceState(null, '', location.pathname)
      setState({ phase: 'signing-in', signIn })
    } catch (failure) {
      if (isInvalid(failure)) setState({ phase: 'gone' })
      else setError(failure)
    }
    setBusy(false)
  }

  if (state.phase === 'looking') return error === null ? <Loading fullPage /> : <Frame title={title} error={error} />
  if (state.phase === 'gone')
    return (
      <Frame title={title} error={error}>
        <Text>{texts.gone.text}</Text>
      </Frame>
    )
  if (state.phase === 'ready') {
    const { person, expires_at: expiresAt } = state.view
    return (
      <Frame title={title} error={error}>
        <Text>{say(texts.text, { person, service })}</Text>
        <Button size="md" loading={isBusy} onClick={() => void start(state.token)}>
          {say(texts.go, { service })}
        </Button>
        <Text size="sm" c="dimmed">
          {say(texts.once, { time: exactTime(expiresAt * 1_000) })}
        </Text>
      </Frame>
    )
  }
  const { status, code, url, code_expires_at: endsAt } = state.signIn
  if (status === 'authorized')
    return (
      <Frame title={title} error={error}>
        <Alert color="green" role="status" icon={<IconCircleCheck aria-hidden />} title={texts.done.title}>
          {say(texts.done.text, { service })}
        </Alert>
      </Frame>
    )
  return (
    <Frame title={title} error={error}>
      {status === 'pending' ? (
        <CodeToEnter code={code} url={url} expiresAtMs={endsAt === null ? null : endsAt * 1_000} isLost={isLost} />
      ) : (
        <Alert
          color="yellow"
          role="alert"
          icon={<IconAlertTriangle aria-hidden />}
          title={say(texts.over[status], { service })}
        >
          <Group mt="xs">
            <Button size="xs" loading={isBusy} onClick={() => void start()}>
              {texts.again}
            </Button>
          </Group>
        </Alert>
      )}
    </Frame>
  )
}

/** A link that was used continues in the browser that used it. */
async function look(): Promise<State> {
  const token = location.hash.slice(1)
  if (token !== '') {
    try {
      return { phase: 'ready', view: await api('POST /api/guest/look', { body: { token } }), token }
    } catch (failure) {
      if (!isInvalid(failure)) throw failure
    }
  }
  return { phase: 'signing-in', signIn: await api('POST /api/guest/poll') }
}

function isInvalid(failure: unknown): boolean {
  return isApiError(failure) && (failure.status === 404 || failure.status === 422)
}

function Frame({
  title,
  error,
  children,
}: {
  readonly title: string
  readonly error: unknown
  readonly children?: ReactNode
}) {
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder shadow="sm" p="xl" w="100%" maw={560}>
        <Stack>
          <Brand />
          <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {error === null ? null : <Failure error={error} />}
          {children}
        </Stack>
      </Paper>
    </Center>
  )
}
