// The account: name, password, session length, and authentication on or off.
import {
  Alert,
  Button,
  Group,
  List,
  Modal,
  NumberInput,
  PasswordInput,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useState } from 'react'
import type { Body } from '../../../api/client.ts'
import type { ApiError } from '../../../api/error.ts'
import { useChange } from '../../../api/query.ts'
import { useSession } from '../../../app/session-state.ts'
import { notifyDone } from '../../../parts/dialogs/notify.ts'
import { settings } from '../../../texts/en/settings.ts'
import { say } from '../../../texts/say.ts'
import { Card } from '../card.tsx'

const { account } = settings
const MIN_PASSWORD_LENGTH = 8

export default function Account() {
  const { enabled } = useSession()
  return enabled ? (
    <Stack>
      <Credentials />
      <StaySignedIn />
      <TurnOff />
    </Stack>
  ) : (
    <Stack>
      <Credentials isOff />
    </Stack>
  )
}

function useCredentials(onDone: () => void) {
  return useChange('POST /api/app-auth/credentials', { refresh: [['session']], onDone })
}

/** Changes name and password. Turns authentication on if it is off. */
function Credentials({ isOff = false }: { readonly isOff?: boolean }) {
  const { username, configured } = useSession()
  const needsCurrent = !isOff || configured
  const form = useForm({
    initialValues: { username, password: '', repeated: '', current: '' },
    validate: {
      username: (value) => (value.trim() === '' ? account.problems.name : null),
      password: (value) =>
        (value === '' ? isOff && !configured : value.length < MIN_PASSWORD_LENGTH)
          ? say(account.problems.short, { n: MIN_PASSWORD_LENGTH })
          : null,
      repeated: (value, { password }) => (value === password ? null : account.problems.differ),
      current: (value) => (needsCurrent && value === '' ? account.problems.current : null),
    },
  })
  const save = useCredentials(() => {
    form.setValues({ password: '', repeated: '', current: '' })
    form.resetDirty()
    notifyDone(isOff ? account.onDone : account.saved)
  })

  function submit({ username: name, password, current }: typeof form.values) {
    const body: Body<'POST /api/app-auth/credentials'> = {
      enabled: true,
      username: name.trim(),
      ...(password === '' ? {} : { password }),
      ...(current === '' ? {} : { current_password: current }),
    }
    save.mutate(
      { body },
      {
        onError: (error) => {
          if (error.code.startsWith('current_password')) form.setFieldError('current', refusalText(error))
        },
      },
    )
  }

  const problem = save.error === null || save.error.code.startsWith('current_password') ? null : refusalText(save.error)
  return (
    <Card title={isOff ? account.on : account.change} text={isOff ? account.onText : account.changeText}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack maw={420} gap="sm">
          <TextInput
            label={account.name}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={64}
            {...form.getInputProps('username')}
          />
          <PasswordInput
            id="new-password"
            label={account.password}
            {...(isOff && !configured ? {} : { description: account.passwordHint })}
            autoComplete="new-password"
            maxLength={1024}
            {...form.getInputProps('password')}
          />
          <PasswordInput
            label={account.repeated}
            autoComplete="new-password"
            maxLength={1024}
            {...form.getInputProps('repeated')}
          />
          {needsCurrent ? (
            <PasswordInput
              label={account.current}
              description={account.currentHint}
              autoComplete="current-password"
              maxLength={1024}
              {...form.getInputProps('current')}
            />
          ) : null}
          <div role="alert">{problem === null ? null : <Alert color="red">{problem}</Alert>}</div>
          <Group>
            <Button type="submit" loading={save.isPending}>
              {isOff ? account.onAction : account.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

function StaySignedIn() {
  const { username, remember_session_enabled: isOn = false, remember_session_days: days = 30 } = useSession()
  const form = useForm({ initialValues: { isOn, days } })
  const save = useCredentials(() => {
    form.resetDirty()
    notifyDone(account.rememberSaved)
  })
  return (
    <Card title={account.remember} text={account.rememberText}>
      <form
        onSubmit={form.onSubmit((values) =>
          save.mutate({
            body: {
              enabled: true,
              username,
              remember_session_enabled: values.isOn,
              remember_session_days: values.days,
            },
          }),
        )}
      >
        <Stack maw={420} gap="sm">
          <Switch label={account.rememberOn} {...form.getInputProps('isOn', { type: 'checkbox' })} />
          <NumberInput
            label={account.days}
            min={1}
            max={365}
            allowDecimal={false}
            clampBehavior="strict"
            {...form.getInputProps('days')}
          />
          <div role="alert">{save.error === null ? null : <Alert color="red">{refusalText(save.error)}</Alert>}</div>
          <Group>
            <Button type="submit" variant="default" loading={save.isPending}>
              {account.rememberSave}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

function TurnOff() {
  const [isAsking, setAsking] = useState(false)
  return (
    <Card title={account.off} text={account.offText}>
      <Group>
        <Button variant="outline" color="red" onClick={() => setAsking(true)}>
          {account.offAction}
        </Button>
      </Group>
      <Modal opened={isAsking} onClose={() => setAsking(false)} title={account.off} centered>
        {isAsking ? <TurnOffDialog onClose={() => setAsking(false)} /> : null}
      </Modal>
    </Card>
  )
}

function TurnOffDialog({ onClose }: { readonly onClose: () => void }) {
  const [current, setCurrent] = useState('')
  const save = useCredentials(() => {
    onClose()
    notifyDone(account.offDone)
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate({ body: { enabled: false, current_password: current } })
      }}
    >
      <Stack gap="sm">
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />}>
          {account.offText}
        </Alert>
        <List size="sm">
          {account.offTouches.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
        <PasswordInput
          label={account.current}
          autoComplete="current-password"
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
          error={save.error === null ? null : refusalText(save.error)}
          data-autofocus
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {settings.sso.cancel}
          </Button>
          <Button type="submit" color="red.9" disabled={current === ''} loading={save.isPending}>
            {account.offConfirm}
          </Button>
        </Group>
        <Text size="xs" c="dimmed">
          {account.currentHint}
        </Text>
      </Stack>
    </form>
  )
}

function refusalText(error: ApiError): string {
  return (account.refusals as Readonly<Record<string, string>>)[error.code] ?? error.message
}
