// One service: capabilities, profiles and plugin panels.
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlugConnectedX, IconPlus, IconRefresh } from '@tabler/icons-react'
import { Absent } from '../../parts/page/absent.tsx'
import { Page } from '../../parts/page/page.tsx'
import { PluginPanels } from '../../parts/plugins/plugin-panels.tsx'
import { useDrawn } from '../../api/drawn.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { useManifests, type Manifest } from '../../parts/sign-in/manifests.ts'
import { connections as texts } from '../../texts/en/connections.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'
import { groupName } from './card.tsx'
import { AddProfile } from './profile-dialogs.tsx'
import { ProfilePanel } from './profile.tsx'
import { SignInDialog, type SignInTarget } from './sign-in-dialog.tsx'
import { featureLabel } from './state.ts'
import { useSignInTarget } from './unfinished.ts'
import { useCheckNow, useConnections, type Profile } from './use-connections.ts'

const WAY_BACK = [{ title: texts.title, href: '/connections' }]

export function ProviderPage({ provider }: { readonly provider: string }) {
  const manifests = useManifests()
  const state = useConnections()
  const known = useDrawn(manifests.data)
  const manifest = known?.find(({ name }) => name === provider)
  const profiles = state.data?.connections.find((one) => one.provider === provider)?.profiles ?? []
  const [isChecking, check] = useCheckNow()
  const [isAdding, adding] = useDisclosure(false)
  const signIn = useSignInTarget()
  const title = manifest?.label ?? (known === undefined ? texts.title : texts.gone.title)

  const actions =
    manifest?.available !== true ? null : (
      <>
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={isChecking}
          onClick={() => void check()}
        >
          {texts.check}
        </Button>
        {manifest.disconnect === null ? null : (
          <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={adding.open}>
            {texts.profile.add}
          </Button>
        )}
      </>
    )
  return (
    <Page
      title={title}
      text={manifest === undefined ? undefined : groupName(manifest.group)}
      breadcrumbs={WAY_BACK}
      actions={actions}
    >
      <QueryView query={manifests}>
        {() =>
          manifest === undefined || !manifest.available ? (
            <Gone manifest={manifest} />
          ) : (
            <QueryView query={state}>
              {() => (
                <>
                  <About manifest={manifest} />
                  <Profiles manifest={manifest} profiles={profiles} onSignIn={signIn.open} />
                  <PluginPanels slot="connection" context={{ provider }} />
                  <AddProfile
                    provider={provider}
                    profiles={profiles}
                    opened={isAdding}
                    onClose={adding.close}
                    onAdded={(instance) => signIn.open({ provider, label: manifest.label, instance, isNew: true })}
                  />
                </>
              )}
            </QueryView>
          )
        }
      </QueryView>
      <SignInDialog target={signIn.target} onClose={signIn.close} onDone={signIn.finish} />
    </Page>
  )
}

function Profiles({
  manifest,
  profiles,
  onSignIn,
}: {
  readonly manifest: Manifest
  readonly profiles: readonly Profile[]
  readonly onSignIn: (target: SignInTarget) => void
}) {
  return (
    <Stack>
      {profiles.map((profile) => (
        <ProfilePanel key={profile.uid || profile.id} manifest={manifest} profile={profile} onSignIn={onSignIn} />
      ))}
    </Stack>
  )
}

function About({ manifest: { description, notice, features } }: { readonly manifest: Manifest }) {
  const entries = Object.entries(features)
  return (
    <Stack gap="xs">
      {description === null ? null : <Text maw="70ch">{description}</Text>}
      {notice === null ? null : (
        <Text size="sm" c="dimmed" maw="70ch">
          {serviceText(notice)}
        </Text>
      )}
      {entries.length === 0 ? null : (
        <Group gap="xs" role="group" aria-label={texts.can.title}>
          {entries.map(([feature, { read, add, remove, update }]) => {
            const writes = add || remove || update
            return (
              <Badge key={feature} variant="light" color="gray" tt="none" fw={500} size="lg">
                {featureLabel(feature)}
                {read && writes ? '' : ` · ${read ? texts.can.read : texts.can.write}`}
              </Badge>
            )
          })}
        </Group>
      )}
    </Stack>
  )
}

function Gone({ manifest }: { readonly manifest: Manifest | undefined }) {
  const { title, text, back } = texts.gone
  return (
    <Absent
      icon={IconPlugConnectedX}
      title={manifest === undefined ? title : manifest.label}
      text={manifest === undefined ? text : say(texts.unavailable, { reason: manifest.error ?? '' })}
      to={manifest === undefined ? back : texts.openPlugin}
      href={manifest === undefined ? '/connections' : '/plugins'}
    />
  )
}
