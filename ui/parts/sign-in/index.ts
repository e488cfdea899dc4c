export { SignIn, useManifests, type Manifest, type SignInProps } from './sign-in.tsx'
