const answer = (): string => 'default';

export { answer as default };
