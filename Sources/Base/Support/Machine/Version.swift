/// Of all of Gaitway's programs, as `--version` prints it; board/release compares it with what it is to make.
package let gaitwayVersion = "0.1.0"
