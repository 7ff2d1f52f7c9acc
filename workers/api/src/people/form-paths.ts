/** Where links in emails lead to. */
export const FORM_PATHS = {
  signIn: "/api/auth/forms/sign-in",
  link: "/api/auth/forms/link",
  invitation: "/api/auth/forms/invitation",
  setUp: "/api/auth/forms/set-up",
} as const;
