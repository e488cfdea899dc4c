// Sign-in on another device: the code, the link and its QR code, and the time left.
import { Box, Button, Group, Loader, Paper, Stack, Text } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { Suspense, useEffect, useState } from 'react'
import { nowAtServiceMs } from '../../api/clock.ts'
import { signIn } from '../../texts/en/sign-in.ts'
import { say } from '../../texts/say.ts'
import { Copy } from '../values/copy.tsx'
import { lazyPart } from '../page/lazy-part.ts'
import type { Waiting } from './use-flow.ts'

const QrCode = lazyPart(
  () => import('../values/qr-code.tsx'),
  (module) => module.QrCode,
)
const QR_SIZE = 148
const texts = signIn.code

type CodeToEnterProps = Pick<Waiting, 'code' | 'url' | 'expiresAtMs' | 'isLost'> & { readonly onCancel?: () => void }

export function CodeToEnter({ code, url, expiresAtMs, isLost, onCancel }: CodeToEnterProps) {
  const link = url !== null && /^https?:/i.test(url) ? url : null
  const host = link === null ? '' : new URL(link).host
  const title = code === null ? texts.linkTitle : link === null ? texts.title : say(texts.titleWithLink, { host })
  return (
    <Paper withBorder p="md">
      <Group align="flex-start" gap="lg" wrap="wrap" justify="space-between">
        <Stack gap="sm" style={{ flex: '1 1 14rem', minWidth: 0 }}>
          <Text fw={600}>{title}</Text>
          {code === null ? null : (
            <Group gap="md">
              <Text
                component="output"
                aria-label={title}
                ff="monospace"
                fw={700}
                fz="h2"
                lh={1.2}
                lts="0.12em"
                style={{ overflowWrap: 'anywhere' }}
                data-code
              >
                {code}
              </Text>
              <Copy text={code} label={texts.copy} />
            </Group>
          )}
          {link === null ? null : (
            <Group gap="xs">
              <Button
                component="a"
                href={link}
                target="_blank"
                rel="noopener noreferrer"
                variant="default"
                rightSection={<IconExternalLink size={16} aria-hidden />}
              >
                {say(texts.open, { host })}
              </Button>
              <Copy text={link} label={texts.copyLink} />
            </Group>
          )}
          <WaitingLine isLost={isLost} text={texts.waiting} />
          <Group gap="md">
            {onCancel === undefined ? null : (
              <Button variant="subtle" size="compact-sm" onClick={onCancel}>
                {signIn.cancel}
              </Button>
            )}
            {expiresAtMs === null ? null : <Countdown endsAtMs={expiresAtMs} />}
          </Group>
        </Stack>
        {link === null ? null : (
          <Stack gap="2xs" align="center" w={QR_SIZE + 16}>
            <Box bg="white" p="2xs" bdrs="md" w={QR_SIZE + 8} h={QR_SIZE + 8}>
              <Suspense>
                <QrCode text={link} size={QR_SIZE} />
              </Suspense>
            </Box>
            <Text size="xs" c="dimmed" ta="center">
              {texts.scan}
            </Text>
          </Stack>
        )}
      </Group>
    </Paper>
  )
}

export function WaitingLine({ isLost, text }: { readonly isLost: boolean; readonly text: string }) {
  return (
    <Group gap="xs" role="status" wrap="nowrap">
      <Loader size="xs" aria-hidden />
      <Text size="sm" c="dimmed">
        {isLost ? signIn.lost : text}
      </Text>
    </Group>
  )
}

function Countdown({ endsAtMs }: { readonly endsAtMs: number }) {
  const [nowMs, setNow] = useState(nowAtServiceMs)
  useEffect(() => {
    const timer = setInterval(() => setNow(nowAtServiceMs()), 500)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.ceil((endsAtMs - nowMs) / 1000))
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return (
    <Text role="timer" size="sm" c="dimmed" style={{ fontVariantNumeric: 'tabular-nums' }}>
      {seconds === 0 ? texts.ending : say(texts.validFor, { time })}
    </Text>
  )
}
