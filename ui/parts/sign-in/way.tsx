// One sign-in method: the fields, then the code or the redirect.
import { Alert, Anchor, Button, Code, Group, List, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { serviceAddress } from '../../api/base.ts'
import { signIn } from '../../texts/en/sign-in.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'
import { Loading } from '../page/loading.tsx'
import { Copy } from '../values/copy.tsx'
import { CodeToEnter } from './code.tsx'
import { Fields } from './fields.tsx'
import { fieldsOf, type Field, type Values } from './fields-of.ts'
import { codeText } from './call.ts'
import { PageToVisit } from './redirect.tsx'
import type { Way } from './manifests.ts'
import { useFlow, type FlowState } from './use-flow.ts'

interface WayProps {
  readonly way: Way
  readonly label: string
  readonly instance: string
  /** The stored settings with masked secrets. */
  readonly known: Readonly<Record<string, unknown>>
  readonly onDone: () => void
  /** In a dialog: closes it. */
  readonly onCancel: (() => void) | undefined
}

const LINK = /((?:https?:\/\/)?(?:[a-z0-9-]+\.)+[a-z]{2,}(?:\/[\w\-./]*\w)?)/gi

export function SignInWay(props: WayProps) {
  const { way, instance, onDone } = props
  const flow = useFlow({ way, instance, onDone })
  const place = useFocusWithin(flow.state.phase)
  return (
    <div ref={place} tabIndex={-1} role="group" aria-label={way.title} style={{ outline: 'none' }}>
      <Step {...props} flow={flow} />
    </div>
  )
}

/**
 * When one phase replaces another, a focus inside the old one moves to the new one instead of the top of the page.
 */
function useFocusWithin(phase: FlowState['phase']) {
  const place = useRef<HTMLDivElement>(null)
  const before = useRef(phase)
  useEffect(() => {
    const isFirst = before.current === phase || before.current === 'looking'
    before.current = phase
    if (!isFirst && document.activeElement === document.body) place.current?.focus()
  }, [phase])
  return place
}

function Step({
  way,
  label,
  known,
  onCancel,
  flow: { state, start, cancel, finish, open, paste },
}: WayProps & { readonly flow: ReturnType<typeof useFlow> }) {
  const fields = fieldsOf(way.form)
  const [values, setValues] = useState<Values>(() => startValues(fields, known))
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  // A form method needs a new password or key; the stored secrets of an application can be kept.
  const stored = new Set(
    way.kind === 'form'
      ? []
      : fields
          .filter(({ name, isSecret }) => isSecret && at(known, name) !== undefined && at(known, name) !== '')
          .map(({ name }) => name),
  )

  function submit() {
    const missing = fields.filter(
      ({ name, isRequired, type }) =>
        isRequired && type !== 'boolean' && !stored.has(name) && String(values[name] ?? '').trim() === '',
    )
    setProblems(
      Object.fromEntries(missing.map(({ name, title }) => [name, say(signIn.fields.missing, { name: title })])),
    )
    if (missing.length > 0) return
    void start(
      Object.fromEntries(
        Object.entries(values)
          .map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value] as const)
          .filter(([, value]) => value !== ''),
      ),
    )
  }

  if (state.phase === 'looking') return <Loading />
  if (state.phase === 'waiting') {
    return way.kind === 'redirect' ? (
      <PageToVisit
        {...state}
        label={label}
        onCancel={cancel}
        onFinished={finish}
        onOpen={open}
        onPaste={state.isPasted ? paste : null}
      />
    ) : (
      <Stack gap="sm">
        <Help text={way.help} />
        <CodeToEnter {...state} onCancel={cancel} />
      </Stack>
    )
  }
  if (state.phase === 'over') {
    const { status, reason } = state
    const { title } = signIn.over[status]
    const why =
      status === 'expired'
        ? signIn.over.expired.text
        : reason !== null
          ? reason
          : status === 'failed'
            ? codeText(null)
            : say(signIn.over.denied.text, { label })
    const isTimeUp = status === 'expired' && way.kind === 'redirect'
    return (
      <Alert
        role="alert"
        color={status === 'expired' ? 'yellow' : 'red'}
        icon={<IconAlertTriangle aria-hidden />}
        title={isTimeUp ? signIn.over.expired.titleRedirect : title}
      >
        <Text size="sm">{why}</Text>
        <Group gap="xs" mt="sm">
          <Button size="xs" onClick={submit}>
            {signIn.restart[way.kind as 'code']}
          </Button>
          {fields.length === 0 ? null : (
            <Button size="xs" variant="default" onClick={cancel}>
              {signIn.cancel}
            </Button>
          )}
        </Group>
      </Alert>
    )
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack gap="md">
        <Help text={way.help} />
        <Fields fields={fields} values={values} stored={stored} problems={problems} onChange={setValues} />
        {state.phase === 'form' && state.problem !== null ? (
          <Alert role="alert" color="red" title={signIn.failed} icon={<IconAlertTriangle aria-hidden />}>
            {state.problem}
          </Alert>
        ) : null}
        <Group justify="flex-end" mt="xs">
          {onCancel === undefined ? null : (
            <Button variant="default" onClick={onCancel}>
              {signIn.cancel}
            </Button>
          )}
          <Button type="submit" loading={state.phase === 'starting'}>
            {signIn.start[way.kind as 'form']}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

// Plugins provide plain text: one line per step, and backticks around text to copy.
function Help({ text }: { readonly text: string | null }) {
  if (text === null || text === '') return null
  const steps = serviceText(text)
    .replaceAll(/<this address>|this service's address(?= with)/g, serviceAddress())
    .split('\n')
  if (steps.length === 1)
    return (
      <Text size="sm" c="dimmed">
        <Line text={steps[0] as string} />
      </Text>
    )
  return (
    <List type="ordered" size="sm" spacing="2xs">
      {steps.map((step) => (
        <List.Item key={step}>
          <Line text={step} />
        </List.Item>
      ))}
    </List>
  )
}

function Line({ text }: { readonly text: string }) {
  const [before = '', copied, after = ''] = text.split('`')
  if (copied === undefined) return <>{withLinks(serviceText(before))}</>
  return (
    <>
      {withLinks(`${serviceText(before.trim())} `)}
      <Code style={{ overflowWrap: 'anywhere' }}>{copied}</Code> <Copy text={copied} />
      {withLinks(after)}
    </>
  )
}

// Plugins provide plain text; URLs in it become links.
function withLinks(text: string): ReactNode[] {
  return text.split(LINK).map((part, index) => {
    if (index % 2 === 0 || part.startsWith(serviceAddress())) return part
    return (
      <Anchor
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a constant text
        key={index}
        href={/^https?:/.test(part) ? part : `https://${part}`}
        target="_blank"
        rel="noopener noreferrer"
        inherit
        underline="always"
      >
        {part}
      </Anchor>
    )
  })
}

function startValues(fields: readonly Field[], known: Readonly<Record<string, unknown>>): Values {
  return Object.fromEntries(
    fields.flatMap(({ name, isSecret, type }) => {
      const value = at(known, name)
      return isSecret || typeof value !== type ? [] : [[name, value as string | number | boolean]]
    }),
  )
}

function at(values: Readonly<Record<string, unknown>>, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Readonly<Record<string, unknown>> | undefined)?.[name], values)
}
