@ Half-float conversions under the names that clang calls; GCC's libgcc has them under another.
.syntax unified
.text
.macro forward name to
.global \name
.type \name, %function
\name: b \to
.endm
forward __aeabi_d2h __gnu_d2h_ieee
forward __truncdfhf2 __gnu_d2h_ieee
