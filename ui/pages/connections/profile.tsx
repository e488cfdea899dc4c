// One profile: status, account, usages and actions.
import { profileName } from '../../parts/values/names.ts'
import { Accordion, ActionIcon, Group, Menu, Paper, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDots, IconLogin2, IconPencil, IconPlugX, IconRefresh, IconSettings, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { api } from '../../api/client.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { callOperation, reasonText } from '../../parts/sign-in/call.ts'
import type { Manifest } from '../../parts/sign-in/manifests.ts'
import { SignIn } from '../../parts/sign-in/index.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { connections } from '../../texts/en/connections.ts'
import { say } from '../../texts/say.ts'
import { Facts } from './facts.tsx'
import { HealthDays } from './health-days.tsx'
import { Held } from './held.tsx'
import { Libraries } from './libraries.tsx'
import { People } from './people.tsx'
import { ProfileSettings, RenameProfile } from './profile-dialogs.tsx'
import { useSignedIn, type SignInTarget } from './sign-in-dialog.tsx'
import { stateOf } from './state.ts'
import { showRefusal, Usages } from './usages.tsx'
import type { Profile } from './use-connections.ts'

const texts = connections.profile

interface ProfilePanelProps {
  readonly manifest: Manifest
  readonly profile: Profile
  readonly onSignIn: (target: SignInTarget) => void
}

export function ProfilePanel({ manifest, profile, onSignIn }: ProfilePanelProps) {
  const { name: provider, label, sign_in: ways, users, libraries, section, features } = manifest
  const { id, configured, acts_as: actsAs } = profile
  const name = profileName(profile)
  const signedIn = useSignedIn()
  const isLocal = ways.every(({ kind }) => kind === 'none')
  const isWorking = configured && profile.connected
  const sections: readonly (readonly [id: string, title: string, content: () => ReactNode] | null)[] = [
    ['uses', connections.uses.title, () => <Usages usages={profile.used_by} />],
    libraries === null || !isWorking
      ? null
      : [
          'libraries',
          connections.libraries.title,
          () => <Libraries provider={provider} instance={id} section={section} features={Object.keys(features)} />,
        ],
    // A new selection may fix the connection.
    users === null || actsAs !== null || !(isWorking || (configured && users.choose !== null))
      ? null
      : [
          'people',
          connections.people.title,
          () => <People manifest={manifest} users={users} profile={profile} onSignIn={onSignIn} />,
        ],
  ]
  return (
    <Paper withBorder p="md" component="section" aria-label={name}>
      <Stack gap="md">
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="sm" miw={0}>
            <Title order={2} size="h4">
              {name}
            </Title>
            <StatusBadge {...stateOf(profile)} />
          </Group>
          <Actions manifest={manifest} profile={profile} onSignIn={onSignIn} isLocal={isLocal} />
        </Group>
        {isLocal ? (
          <Text size="sm" c="dimmed">
            {texts.local}
          </Text>
        ) : null}
        {configured ? (
          <>
            <Held provider={provider} label={label} profile={profile} onSignIn={onSignIn} />
            <Facts profile={profile} />
            <HealthDays provider={provider} instance={id} />
          </>
        ) : isLocal ? null : (
          <SignIn provider={provider} instance={id} onDone={() => signedIn(label)} />
        )}
        {configured ? <Sections sections={sections.filter((one) => one !== null)} /> : null}
      </Stack>
    </Paper>
  )
}

function Sections({
  sections,
}: {
  readonly sections: readonly (readonly [id: string, title: string, content: () => ReactNode])[]
}) {
  const [open, setOpen] = useState<string[]>(['uses'])
  return (
    <Accordion multiple value={open} onChange={setOpen} variant="contained">
      {sections.map(([id, title, content]) => (
        <Accordion.Item key={id} value={id}>
          <Accordion.Control>{title}</Accordion.Control>
          <Accordion.Panel>{open.includes(id) ? content() : null}</Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  )
}

function Actions({ manifest, profile, onSignIn, isLocal }: ProfilePanelProps & { readonly isLocal: boolean }) {
  const { name: provider, label, disconnect, refresh, section } = manifest
  const { id, configured, acts_as: actsAs } = profile
  const name = profileName(profile)
  const client = useQueryClient()
  const [isRenaming, renaming] = useDisclosure(false)
  const [isSetting, setting] = useDisclosure(false)
  const title = id === 'default' ? label : `${label}, ${name}`

  async function carryOut(work: () => Promise<unknown>, done: string) {
    try {
      await work()
      notifyDone(done)
      await client.invalidateQueries()
    } catch (error) {
      showRefusal(error, title)
    }
  }

  async function askDisconnect() {
    if (
      disconnect === null ||
      !(await confirm({
        title: say(texts.disconnectTitle, { label: title }),
        text: say(texts.disconnectText, { label }),
        touches: [title],
        action: texts.disconnect,
      }))
    )
      return
    await carryOut(() => callOperation(disconnect, id), say(texts.disconnected, { label: title }))
  }

  async function askRemove() {
    if (
      !(await confirm({
        title: say(texts.removeTitle, { name }),
        text: say(texts.removeText, { label }),
        touches: [title],
        action: texts.remove,
      }))
    )
      return
    await carryOut(
      () => api('DELETE /api/provider-instances/{provider}/{instance_id}', { params: { provider, instance_id: id } }),
      say(texts.removed, { name }),
    )
  }

  async function renew() {
    if (refresh === null) return
    try {
      await callOperation(refresh, id)
      notifyDone(say(texts.refreshed, { name }))
      await client.invalidateQueries({ queryKey: ['connections'] })
    } catch (error) {
      notifyFailure(new Error(reasonText(error)))
    }
  }

  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={say(texts.actions, { name })}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {configured && !isLocal ? (
            <Menu.Item
              leftSection={<IconLogin2 size={16} aria-hidden />}
              onClick={() =>
                onSignIn({ provider, label, instance: id, ...(actsAs === null ? {} : { person: actsAs.name }) })
              }
            >
              {actsAs === null ? connections.signInAgain : say(connections.people.invite, { name: actsAs.name })}
            </Menu.Item>
          ) : null}
          {configured && refresh !== null ? (
            <Menu.Item leftSection={<IconRefresh size={16} aria-hidden />} onClick={() => void renew()}>
              {texts.refresh}
            </Menu.Item>
          ) : null}
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={renaming.open}>
            {texts.rename}
          </Menu.Item>
          {section === null ? null : (
            <Menu.Item leftSection={<IconSettings size={16} aria-hidden />} onClick={setting.open}>
              {texts.settings}
            </Menu.Item>
          )}
          {(configured && disconnect !== null) || id !== 'default' ? <Menu.Divider /> : null}
          {configured && disconnect !== null ? (
            <Menu.Item leftSection={<IconPlugX size={16} aria-hidden />} onClick={() => void askDisconnect()}>
              {texts.disconnect}
            </Menu.Item>
          ) : null}
          {id === 'default' ? null : (
            <Menu.Item
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => void askRemove()}
            >
              {texts.remove}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <RenameProfile
        key={profile.label}
        provider={provider}
        profile={profile}
        opened={isRenaming}
        onClose={renaming.close}
      />
      {section === null ? null : (
        <ProfileSettings label={label} section={section} profile={profile} opened={isSetting} onClose={setting.close} />
      )}
    </>
  )
}
