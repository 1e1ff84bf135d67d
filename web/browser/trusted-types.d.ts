// The part of Trusted Types that we use; browsers without them have no such object.
declare var trustedTypes:
  | undefined
  | {
      createPolicy(
        name: string,
        rules: { createHTML(text: string): string },
      ): { createHTML(text: string): string };
    };
