// One line for each check, and a last line with the count.

export class Report {
    passed = 0;
    failed = 0;
    #started = Date.now();

    /** Runs a check. A failure is printed and counted; the other checks still run. */
    async check(name, body, onFailure = async () => {}) {
        const seconds = () => ((Date.now() - this.#started) / 1000).toFixed(1).padStart(6);
        try {
            const seen = await body();
            this.passed++;
            console.log(`ok      ${seconds()} s  ${name}${seen === undefined ? '' : `: ${seen}`}`);
        } catch (error) {
            this.failed++;
            console.log(`not ok  ${seconds()} s  ${name}`);
            console.log(String(error.stack ?? error).replace(/^/gm, '          '));
            await onFailure();
        }
    }

    finish() {
        console.log(`${this.passed} passed, ${this.failed} failed`);
        return this.failed === 0 ? 0 : 1;
    }
}
